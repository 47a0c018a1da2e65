import type { RepositoryWrite } from '../events/invalidate.ts';
import { dropRequestsOfTeamsOf } from '../teams/team-request-store.ts';
import { dropRequest } from './review-request-store.ts';

/** Who has reviewed a pull need not be asked for it any more, and the reviewer's teams have had their word too. */
export async function clearReviewRequests(
  sql: RepositoryWrite,
  pullId: number,
  accountId: number,
): Promise<void> {
  await dropRequest(sql, pullId, accountId);
  await dropRequestsOfTeamsOf(sql, pullId, accountId);
}
