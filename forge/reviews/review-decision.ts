import type { Sql } from '#platform/database/database.ts';

import { atLeast } from '../model/permission.ts';
import { accountPermissionIn } from '../repositories/repository-access.ts';
import type { Pull } from '../model/pull.ts';
import type { Review } from '../model/review.ts';
import { decisionsOn } from './review-store.ts';

/** The combined result of the reviews of a pull. */
export interface ReviewDecision {
  readonly approvals: number;
  readonly changesRequested: boolean;
}

/** The last decision of each reviewer counts, as long as the reviewer may push and is not the author. */
export async function reviewDecision(
  sql: Sql,
  repositoryId: number,
  pull: Pull,
  presentOnly: boolean,
): Promise<ReviewDecision> {
  const decisions = await decisionsOn(sql, pull.id);
  const pushers = new Set<number>();
  for (const { authorId } of decisions) {
    const permission = await accountPermissionIn(sql, authorId, repositoryId);
    if (atLeast(permission, 'write')) pushers.add(authorId);
  }
  return combineReviews(decisions, pull, pushers, presentOnly);
}

/** The result of the last decision of each reviewer, of whom those count who may push; `presentOnly`: approvals of the present head and base. */
export function combineReviews(
  decisions: readonly Review[],
  pull: Pull,
  pushers: ReadonlySet<number>,
  presentOnly: boolean,
): ReviewDecision {
  const counting = decisions.filter(
    ({ authorId }) => authorId !== pull.authorId && pushers.has(authorId),
  );
  const approvals = counting.filter(
    ({ state, commitSha, isOfPresentBase }) =>
      state === 'APPROVED' && (!presentOnly || (commitSha === pull.head.sha && isOfPresentBase)),
  );
  return {
    approvals: approvals.length,
    changesRequested: counting.some(({ state }) => state === 'CHANGES_REQUESTED'),
  };
}
