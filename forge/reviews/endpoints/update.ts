import Type from 'typebox';

import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { invalid, refuse } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { maySpeak } from '../../issues/issue-policies.ts';
import { emitReviewEvent } from '../../review-comments/emit-review-event.ts';
import { changeReviews, requiredReview } from '../change-review.ts';
import { changeReview } from '../review-store.ts';
import { checkReviewBody } from '../submit-review.ts';

/** Other words for a review, by its author. */
export const updateReview = repositoryEndpoint({
  operation: 'pulls/update-review',
  method: 'PUT',
  path: '/repos/:owner/:repo/pulls/:pull_number/reviews/:review_id',
  docs: 'pulls#update-a-review-for-a-pull-request',
  need: maySpeak,
  formats: ['raw', 'text', 'html', 'full'],
  body: Type.Object({ body: Type.String() }),
  async handle(request, access, ports) {
    const { body, caller, path, now } = request;
    if (body.body.trim() === '') {
      invalid({ resource: 'PullRequestReview', field: 'body', code: 'missing_field' });
    }
    checkReviewBody(body.body);
    const described = await changeReviews(ports, access, request, async (sql, pull, authorId) => {
      const review = await requiredReview(sql, pull, path.review_id, caller);
      if (review.authorId !== authorId) {
        refuse({ kind: 'forbidden', message: 'Must be the author of the review.' });
      }
      await changeReview(sql, review.id, { ...review, body: body.body });
      if (review.state !== 'PENDING' && review.body !== body.body) {
        const changes = { body: { from: review.body } };
        const told = { action: 'edited', reviewId: review.id, actorId: authorId, changes } as const;
        await emitReviewEvent(sql, pull, told, now);
      }
      return review.id;
    });
    return ok(described);
  },
});
