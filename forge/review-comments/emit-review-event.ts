import type { Sql } from '#platform/database/database.ts';

import { commentIdsOfReview } from './review-comment-store.ts';
import type { ReviewChanged, ReviewCommentChanged } from '../model/domain-event.ts';
import { emitEvent, hasWebhooks } from '../events/event-outbox-store.ts';

/** Emits the event that a review was submitted, edited or dismissed. Pending reviews cause no events. */
export async function emitReviewEvent(
  sql: Sql,
  pull: { readonly id: number; readonly repositoryId: number },
  happened: Omit<ReviewChanged, 'event' | 'pullId'>,
  now: number,
): Promise<void> {
  const { id: pullId, repositoryId } = pull;
  await emitEvent(sql, repositoryId, { event: 'pull_request_review', pullId, ...happened }, now);
}

/** Emits the events that a review was submitted and each of its comments created. */
export async function emitSubmittedReview(
  sql: Sql,
  pull: { readonly id: number; readonly repositoryId: number },
  { reviewId, actorId }: { readonly reviewId: number; readonly actorId: number },
  now: number,
): Promise<void> {
  await emitReviewEvent(sql, pull, { action: 'submitted', reviewId, actorId }, now);
  if (!(await hasWebhooks(sql, pull.repositoryId, 'pull_request_review_comment'))) return;
  for (const commentId of await commentIdsOfReview(sql, reviewId)) {
    await emitReviewCommentEvent(sql, pull, { action: 'created', commentId, actorId }, now);
  }
}

/** Emits an event of a comment on a line, whose review must be submitted. */
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
