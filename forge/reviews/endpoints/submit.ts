import Type from 'typebox';

import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { invalid } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { choice, orNull } from '../../http/schemas.ts';
import { maySpeak } from '../../issues/issue-policies.ts';
import { addReviewComments, countOfReview } from '../../review-comments/review-comment-store.ts';
import { emitSubmittedReview } from '../../review-comments/emit-review-event.ts';
import { changeReviews, requiredReview } from '../change-review.ts';
import { clearReviewRequests } from '../clear-review-requests.ts';
import { changeReview } from '../review-store.ts';
import { reviewEvents, stateAfter } from '../../model/review.ts';
import { checkReviewBody, checkVerdict, custom } from '../submit-review.ts';

export const submitReview = repositoryEndpoint({
  operation: 'pulls/submit-review',
  method: 'POST',
  path: '/repos/:owner/:repo/pulls/:pull_number/reviews/:review_id/events',
  docs: 'pulls#submit-a-review-for-a-pull-request',
  need: maySpeak,
  formats: ['raw', 'text', 'html', 'full'],
  body: Type.Object({
    event: choice(reviewEvents),
    body: Type.Optional(orNull(Type.String())),
  }),
  async handle(request, access, ports) {
    const { body, caller, path, now } = request;
    const { event } = body;
    const described = await changeReviews(ports, access, request, async (sql, pull, authorId) => {
      const review = await requiredReview(sql, pull, path.review_id, caller);
      if (review.state !== 'PENDING') {
        invalid(custom('state', 'Only pending reviews can be submitted'));
      }
      const text = body.body ?? review.body;
      checkReviewBody(text);
      const comments = await countOfReview(sql, review.id);
      checkVerdict(pull, authorId, event, text, comments);
      await changeReview(sql, review.id, {
        state: stateAfter[event],
        body: text,
        submittedAt: now,
      });
      await addReviewComments(sql, pull.id, comments);
      await clearReviewRequests(sql, pull.id, authorId);
      await emitSubmittedReview(sql, pull, { reviewId: review.id, actorId: authorId }, now);
      return review.id;
    });
    return ok(described);
  },
});
