/**
 * Tables of the forge that no cacheable response shows: only these may be written without invalidating the response cache.
 * The sweep over all writes (forge/events/cache-invalidation.scenario.test.ts) holds the list against what responses show.
 */
const unseenTables: ReadonlySet<string> = new Set([
  'activities',
  'app_installation_repositories',
  'app_installations',
  'app_manifest_codes',
  'application_codes',
  'application_grants',
  'applications',
  'apps',
  'code_statistics',
  'device_codes',
  'follows',
  'invitations',
  'lfs_grants',
  'lfs_locks',
  'lfs_objects',
  'login_failures',
  'notification_threads',
  'repository_imports',
  'pending_sign_ins',
  'recovery_codes',
  'ref_intents',
  'release_assets',
  'releases',
  'revoked_installation_tokens',
  'second_factors',
  'sessions',
  'ssh_keys',
  'tokens',
  'viewed_files',
  'webhook_deliveries',
  'webhook_subscriptions',
  'webhooks',
]);

/** Columns that only the account's own profile shows, and that no response shows. */
const unseenUpdate =
  /^update (accounts set (time_zone|updated_at)|repositories set (maintained_at|maintenance_due_at|described_version)) = /;

const statement = /[`'"]\s*((?:insert into|update|delete from)\s+(\w+)[^`'"]*)/g;

/** A function of a store that writes what cached responses show, without the transaction that has invalidated them. */
export function uninvalidatedWrites(path: string, text: string): string[] {
  if (!/^forge\/.*-store\.ts$/.test(path) || path === 'forge/events/generation-store.ts') {
    return [];
  }
  return text.split(/^(?=(?:export )?(?:async )?function )/m).flatMap((part) => {
    const name = /^(?:export )?(?:async )?function (\w+)/.exec(part)?.[1];
    if (name === undefined || /\bsql: (Repository|Organization|Accounts)Write\b/.test(part)) {
      return [];
    }
    return [...part.matchAll(statement)]
      .filter(([, sql = '', table = '']) => !unseenTables.has(table) && !unseenUpdate.test(sql))
      .map(
        ([, , table]) =>
          `${name} writes ${table} without invalidating cached responses: its sql must be a RepositoryWrite, OrganizationWrite or AccountsWrite (forge/events/invalidate.ts).`,
      );
  });
}
