import type { Sql } from '#platform/database/database.ts';

import { atLeast } from '../model/permission.ts';
import { accountPermissionIn } from '../repositories/repository-access.ts';
import type { Pull } from '../model/pull.ts';
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
  presentHeadOnly: boolean,
): Promise<ReviewDecision> {
  let approvals = 0;
  let changesRequested = false;
  for (const { authorId, state, commitSha } of await decisionsOn(sql, pull.id)) {
    if (authorId === pull.authorId) continue;
    if (!atLeast(await accountPermissionIn(sql, authorId, repositoryId), 'write')) continue;
    if (state === 'CHANGES_REQUESTED') changesRequested = true;
    const stale = presentHeadOnly && commitSha !== pull.head.sha;
    if (state === 'APPROVED' && !stale) approvals += 1;
  }
  return { approvals, changesRequested };
}
