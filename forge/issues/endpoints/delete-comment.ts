import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { noContent } from '../../http/reply.ts';
import { changeComment } from '../change-comment.ts';
import { deleteComment } from '../comment-store.ts';
import { maySpeak } from '../issue-policies.ts';

export const deleteCommentEndpoint = repositoryEndpoint({
  operation: 'issues/delete-comment',
  method: 'DELETE',
  path: '/repos/:owner/:repo/issues/comments/:comment_id',
  docs: 'issues#delete-an-issue-comment',
  need: maySpeak,
  async handle(request, access, ports) {
    await changeComment(ports, access, request, deleteComment);
    return noContent();
  },
});
