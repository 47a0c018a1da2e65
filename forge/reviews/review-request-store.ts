import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import { dropRequestsOfTeamsOf } from '../teams/team-request-store.ts';

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

/** Returns false if the review was already requested. */
export async function requestReview(
  sql: RepositoryWrite,
  pullId: number,
  accountId: number,
): Promise<boolean> {
  const requested = await sql.run(
    `insert into review_requests (pull_id, account_id) values ($1, $2) on conflict do nothing`,
    pullId,
    accountId,
  );
  return requested > 0;
}

/** Returns false if the review was not requested. */
export async function dropRequest(
  sql: RepositoryWrite,
  pullId: number,
  accountId: number,
): Promise<boolean> {
  const dropped = await sql.run(
    `delete from review_requests where pull_id = $1 and account_id = $2`,
    pullId,
    accountId,
  );
  return dropped > 0;
}

/** A review fulfils the review requests to its author and to the author's teams. */
export async function clearReviewRequests(
  sql: RepositoryWrite,
  pullId: number,
  accountId: number,
): Promise<void> {
  await dropRequest(sql, pullId, accountId);
  await dropRequestsOfTeamsOf(sql, pullId, accountId);
}
