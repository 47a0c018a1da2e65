import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { noContent } from '../../http/reply.ts';
import { maySpeak } from '../../issues/issue-policies.ts';
import { changeReviewComment } from '../change-review-comment.ts';
import { addReviewComments, deleteReviewComment } from '../review-comment-store.ts';

/** Answers to it stay, and stand for themselves. */
export const deleteReviewCommentEndpoint = repositoryEndpoint({
  operation: 'pulls/delete-review-comment',
  method: 'DELETE',
  path: '/repos/:owner/:repo/pulls/comments/:comment_id',
  docs: 'pulls#delete-a-review-comment-for-a-pull-request',
  need: maySpeak,
  async handle(request, access, ports) {
    await changeReviewComment(ports, access, request, async (sql, comment) => {
      await deleteReviewComment(sql, comment);
      await addReviewComments(sql, comment.pullId, -1);
      return { action: 'deleted', last: comment };
    });
    return noContent();
  },
});
