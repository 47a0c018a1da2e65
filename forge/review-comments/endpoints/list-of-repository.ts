import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import { readRepositoryCommentFilter } from '../../issues/comment-filter.ts';
import { describeReviewComments } from '../describe-review-comments.ts';
import { listReviewComments } from '../review-comment-store.ts';

export const listReviewCommentsOfRepository = repositoryEndpoint({
  operation: 'pulls/list-review-comments-for-repo',
  method: 'GET',
  path: '/repos/:owner/:repo/pulls/comments',
  docs: 'pulls#list-review-comments-in-a-repository',
  need: mayRead,
  formats: ['raw', 'text', 'html', 'full'],
  cacheable: true,
  async handle(request, { repository }, ports) {
    const filter = readRepositoryCommentFilter(request.query);
    const of = { kind: 'repository', id: repository.id } as const;
    const { body, total } = await describeReviewComments(ports, repository, request, (sql) =>
      listReviewComments(sql, of, filter, request.page),
    );
    return replyPage(body, total);
  },
});
