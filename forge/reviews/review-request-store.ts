import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import { membershipViewerId } from '../accounts/organization-access.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type { Caller } from '../model/caller.ts';
import type { Team } from '../model/team.ts';
import { teamColumns, teamFromRow, type TeamRow, teamTables } from '../teams/team-store.ts';

/** The requested reviewers of each pull, by account id. */
export async function requestedReviewers(
  sql: Sql,
  pullIds: readonly number[],
): Promise<Map<number, number[]>> {
  if (pullIds.length === 0) return new Map();
  const rows = await sql.all<{ pull_id: number; account_id: number }>(
    `select pull_id, account_id from review_requests where pull_id in (${placeholders(pullIds.length)})
     order by account_id`,
    ...pullIds,
  );
  const reviewers = new Map<number, number[]>();
  for (const { pull_id: pullId, account_id: accountId } of rows) {
    reviewers.set(pullId, [...(reviewers.get(pullId) ?? []), accountId]);
  }
  return reviewers;
}

/** The requested teams of each pull, by the id of the pull; secret ones only for their members and the owners of the organization. */
export async function requestedTeams(
  sql: Sql,
  pullIds: readonly number[],
  viewer: Caller,
): Promise<Map<number, Team[]>> {
  if (pullIds.length === 0) return new Map();
  const me = `$${pullIds.length + 1}`;
  const rows = await sql.all<TeamRow & { pull_id: number }>(
    `select q.pull_id, ${teamColumns} from ${teamTables} join team_review_requests q on q.team_id = t.id
     where q.pull_id in (${placeholders(pullIds.length)}) and (t.privacy <> 'secret'
       or exists (select 1 from team_members m where m.team_id = t.id and m.user_id = ${me})
       or exists (select 1 from organization_members m
         where m.organization_id = t.organization_id and m.user_id = ${me} and m.role = 'admin'))
     order by t.id`,
    ...pullIds,
    membershipViewerId(viewer),
  );
  const teams = new Map<number, Team[]>();
  for (const row of rows) {
    teams.set(row.pull_id, [...(teams.get(row.pull_id) ?? []), teamFromRow(row)]);
  }
  return teams;
}

/** A user or a team whose review is requested. */
export type RequestedReviewer = { readonly reviewerId: number } | { readonly teamId: number };

/** Returns false if the review was already requested. */
export async function requestReview(
  sql: RepositoryWrite,
  pullId: number,
  reviewer: RequestedReviewer,
): Promise<boolean> {
  const { table, column, id } = requestOf(reviewer);
  const requested = await sql.run(
    `insert into ${table} (pull_id, ${column}) values ($1, $2) on conflict do nothing`,
    pullId,
    id,
  );
  return requested > 0;
}

/** Returns false if the review was not requested. */
export async function dropRequest(
  sql: RepositoryWrite,
  pullId: number,
  reviewer: RequestedReviewer,
): Promise<boolean> {
  const { table, column, id } = requestOf(reviewer);
  const dropped = await sql.run(
    `delete from ${table} where pull_id = $1 and ${column} = $2`,
    pullId,
    id,
  );
  return dropped > 0;
}

/** A review fulfils the review requests to its author and to the author's teams. */
export async function clearReviewRequests(
  sql: RepositoryWrite,
  pullId: number,
  accountId: number,
): Promise<void> {
  await dropRequest(sql, pullId, { reviewerId: accountId });
  await sql.run(
    `delete from team_review_requests where pull_id = $1
       and team_id in (select team_id from team_members where user_id = $2)`,
    pullId,
    accountId,
  );
}

/** Where the request is stored. */
function requestOf(reviewer: RequestedReviewer): { table: string; column: string; id: number } {
  return 'reviewerId' in reviewer
    ? { table: 'review_requests', column: 'account_id', id: reviewer.reviewerId }
    : { table: 'team_review_requests', column: 'team_id', id: reviewer.teamId };
}
