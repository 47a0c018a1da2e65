import type { Sql } from '#platform/database/database.ts';

import { commentIdsOfReview } from './review-comment-store.ts';
import type { ReviewChanged, ReviewCommentChanged } from '../model/domain-event.ts';
import { emitEvent, hasListeners } from '../events/event-outbox-store.ts';

/** Tells that a review of the pull was submitted, got other words or was dismissed. Drafts are nobody's business. */
export async function emitReviewEvent(
  sql: Sql,
  pull: { readonly id: number; readonly repositoryId: number },
  happened: Omit<ReviewChanged, 'event' | 'pullId'>,
  now: number,
): Promise<void> {
  const { id: pullId, repositoryId } = pull;
  await emitEvent(sql, repositoryId, { event: 'pull_request_review', pullId, ...happened }, now);
}

/** Tells that a review was submitted, and with it each of its comments on lines. */
export async function emitSubmittedReview(
  sql: Sql,
  pull: { readonly id: number; readonly repositoryId: number },
  { reviewId, actorId }: { readonly reviewId: number; readonly actorId: number },
  now: number,
): Promise<void> {
  await emitReviewEvent(sql, pull, { action: 'submitted', reviewId, actorId }, now);
  if (!(await hasListeners(sql, pull.repositoryId, 'pull_request_review_comment'))) return;
  for (const commentId of await commentIdsOfReview(sql, reviewId)) {
    await emitReviewCommentEvent(sql, pull, { action: 'created', commentId, actorId }, now);
  }
}

/** Tells of a comment on a line, once the review it belongs to is submitted. */
export async function emitReviewCommentEvent(
  sql: Sql,
  pull: { readonly id: number; readonly repositoryId: number },
  happened: Omit<ReviewCommentChanged, 'event' | 'pullId'>,
  now: number,
): Promise<void> {
  const { id: pullId, repositoryId } = pull;
  const event = { event: 'pull_request_review_comment', pullId, ...happened } as const;
  await emitEvent(sql, repositoryId, event, now);
}
