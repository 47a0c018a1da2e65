import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { describeReviewComment } from '../describe-review-comments.ts';

export const getReviewComment = repositoryEndpoint({
  operation: 'pulls/get-review-comment',
  method: 'GET',
  path: '/repos/:owner/:repo/pulls/comments/:comment_id',
  docs: 'pulls#get-a-review-comment-for-a-pull-request',
  need: mayRead,
  formats: ['raw', 'text', 'html', 'full'],
  cacheable: true,
  async handle(request, { repository }, ports) {
    return ok(await describeReviewComment(ports, repository, request.path.comment_id, request));
  },
});
