import type { Database } from '#platform/database/database.ts';

/** How many rows each table has, and the versions that move with every change that a response can show. */
export async function databaseFingerprint(
  database: Database,
): Promise<Readonly<Record<string, unknown>>> {
  return database.read(async (sql) => {
    const counts = counted.map((table) => `(select count(*) from ${table}) as ${table}`);
    const row = await sql.get<Record<string, unknown>>(
      `select ${counts.join(', ')},
        (select sum(version) from networks) as networks_version,
        (select sum(version) from versions) as versions`,
    );
    return row ?? {};
  });
}

const counted = [
  'accounts',
  'activities',
  'application_codes',
  'application_grants',
  'applications',
  'branch_pusher_teams',
  'branch_pushers',
  'branch_rules',
  'collaborators',
  'commit_statuses',
  'invitations',
  'issue_assignees',
  'issue_comments',
  'issue_events',
  'issue_labels',
  'issues',
  'labels',
  'milestones',
  'networks',
  'notification_threads',
  'organization_members',
  'pulls',
  'recovery_codes',
  'ref_intents',
  'release_assets',
  'releases',
  'repositories',
  'repository_redirects',
  'review_comments',
  'review_requests',
  'reviews',
  'second_factors',
  'sessions',
  'status_contexts',
  'team_members',
  'team_repositories',
  'team_review_requests',
  'teams',
  'tokens',
  'webhook_deliveries',
  'webhook_subscriptions',
  'webhooks',
] as const;
