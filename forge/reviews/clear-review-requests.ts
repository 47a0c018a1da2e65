import type { RepositoryWrite } from '../events/invalidate.ts';
import { dropRequestsOfTeamsOf } from '../teams/team-request-store.ts';
import { dropRequest } from './review-request-store.ts';

/** A review fulfils the review requests to its author and to the author's teams. */
export async function clearReviewRequests(
  sql: RepositoryWrite,
  pullId: number,
  accountId: number,
): Promise<void> {
  await dropRequest(sql, pullId, accountId);
  await dropRequestsOfTeamsOf(sql, pullId, accountId);
}
