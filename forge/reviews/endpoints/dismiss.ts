import Type from 'typebox';

import { mayPush } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { invalid } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { emitReviewEvent } from '../../review-comments/emit-review-event.ts';
import { changeReviews, requiredReview } from '../change-review.ts';
import { changeReview } from '../review-store.ts';
import { custom } from '../submit-review.ts';

export const dismissReview = repositoryEndpoint({
  operation: 'pulls/dismiss-review',
  method: 'PUT',
  path: '/repos/:owner/:repo/pulls/:pull_number/reviews/:review_id/dismissals',
  docs: 'pulls#dismiss-a-review-for-a-pull-request',
  need: mayPush,
  formats: ['raw', 'text', 'html', 'full'],
  body: Type.Object({ message: Type.String() }),
  async handle(request, access, ports) {
    const { body, caller, path, now } = request;
    if (body.message.trim() === '') {
      invalid({ resource: 'PullRequestReview', field: 'message', code: 'missing_field' });
    }
    const described = await changeReviews(ports, access, request, async (sql, pull, actorId) => {
      const review = await requiredReview(sql, pull, path.review_id, caller);
      if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED') {
        const state = review.state.toLowerCase();
        invalid(custom('state', `Can not dismiss a ${state} pull request review`));
      }
      await changeReview(sql, review.id, { ...review, state: 'DISMISSED' });
      const told = { action: 'dismissed', reviewId: review.id, actorId } as const;
      await emitReviewEvent(sql, pull, told, now);
      return review.id;
    });
    return ok(described);
  },
});
