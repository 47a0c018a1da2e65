import type { Sql } from '#platform/database.ts';

import type { ReviewChanged } from './happening.ts';
import { announce } from './outbox-store.ts';

/** Tells that a review of the pull was submitted, got other words or was dismissed. Drafts are nobody's business. */
export async function announceReview(
  sql: Sql,
  pull: { readonly id: number; readonly repositoryId: number },
  happened: Omit<ReviewChanged, 'event' | 'pullId'>,
  now: number,
): Promise<void> {
  const { id: pullId, repositoryId } = pull;
  await announce(sql, repositoryId, { event: 'pull_request_review', pullId, ...happened }, now);
}
