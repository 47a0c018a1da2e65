import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import { readRepositoryCommentFilter } from '../../issues/comment-filter.ts';
import { requiredPull } from '../../reviews/change-review.ts';
import { describeReviewComments } from '../describe-review-comments.ts';
import { listReviewComments } from '../review-comment-store.ts';

export const listReviewCommentsOfPull = repositoryEndpoint({
  operation: 'pulls/list-review-comments',
  method: 'GET',
  path: '/repos/:owner/:repo/pulls/:pull_number/comments',
  docs: 'pulls#list-review-comments-on-a-pull-request',
  need: mayRead,
  formats: ['raw', 'text', 'html', 'full'],
  cacheable: true,
  async handle(request, { repository }, ports) {
    const filter = readRepositoryCommentFilter(request.query);
    const { body, total } = await describeReviewComments(
      ports,
      repository,
      request,
      async (sql) => {
        const { id } = await requiredPull(sql, repository, request.path.pull_number);
        return listReviewComments(sql, { kind: 'pull', id }, filter, request.page);
      },
    );
    return replyPage(body, total);
  },
});
