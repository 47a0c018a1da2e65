import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { invalid, notFound, refuse } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { maySpeak } from '../../issues/issue-policies.ts';
import { writeRepository } from '../../events/invalidate.ts';
import { requiredPull, requiredReview } from '../change-review.ts';
import { describeReviews } from '../describe-reviews.ts';
import { deleteReview } from '../review-store.ts';
import { custom } from '../submit-review.ts';

/** A draft goes with its comments, for its author alone; what was submitted stays. */
export const deleteDraftReview = repositoryEndpoint({
  operation: 'pulls/delete-pending-review',
  method: 'DELETE',
  path: '/repos/:owner/:repo/pulls/:pull_number/reviews/:review_id',
  docs: 'pulls#delete-a-pending-review-for-a-pull-request',
  need: maySpeak,
  formats: ['raw', 'text', 'html', 'full'],
  async handle(request, { repository }, { database }) {
    const { caller, path } = request;
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    const described = await writeRepository(database, repository.id, async (sql) => {
      const pull = await requiredPull(sql, repository, path.pull_number);
      const review = await requiredReview(sql, pull, path.review_id, caller);
      if (review.state !== 'PENDING') {
        invalid(custom('state', 'Can not delete a non-pending pull request review'));
      }
      const [body] = await describeReviews(sql, repository, pull.number, [review], request);
      await deleteReview(sql, review.id);
      return body ?? notFound();
    });
    return ok(described);
  },
});
