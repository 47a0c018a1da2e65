import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import { requiredPull, requiredReview } from '../../reviews/change-review.ts';
import { describeReviewComments } from '../describe-review-comments.ts';
import { commentsOfReview } from '../review-comment-store.ts';

export const listCommentsOfReview = repositoryEndpoint({
  operation: 'pulls/list-comments-for-review',
  method: 'GET',
  path: '/repos/:owner/:repo/pulls/:pull_number/reviews/:review_id/comments',
  docs: 'pulls#list-comments-for-a-pull-request-review',
  need: mayRead,
  formats: ['raw', 'text', 'html', 'full'],
  cacheable: true,
  async handle(request, { repository }, ports) {
    const { path, caller, page } = request;
    const { body, total } = await describeReviewComments(
      ports,
      repository,
      request,
      async (sql) => {
        const pull = await requiredPull(sql, repository, path.pull_number);
        const review = await requiredReview(sql, pull, path.review_id, caller);
        return commentsOfReview(sql, review.id, page);
      },
    );
    return replyPage(body, total);
  },
});
