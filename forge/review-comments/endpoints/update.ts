import Type from 'typebox';

import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { maySpeak } from '../../issues/issue-policies.ts';
import { changeReviewComment } from '../change-review-comment.ts';
import { describeReviewComment } from '../describe-review-comments.ts';
import { editReviewComment } from '../review-comment-store.ts';
import { checkReviewCommentBody } from '../../model/review-comment.ts';

export const updateReviewComment = repositoryEndpoint({
  operation: 'pulls/update-review-comment',
  method: 'PATCH',
  path: '/repos/:owner/:repo/pulls/comments/:comment_id',
  docs: 'pulls#update-a-review-comment-for-a-pull-request',
  need: maySpeak,
  formats: ['raw', 'text', 'html', 'full'],
  body: Type.Object({ body: Type.String() }),
  async handle(request, access, ports) {
    const { body } = request.body;
    checkReviewCommentBody(body);
    await changeReviewComment(ports, access, request, async (sql, comment) => {
      await editReviewComment(sql, comment.id, body, request.now);
      if (body === comment.body) return undefined;
      return { action: 'edited', changes: { body: { from: comment.body } } };
    });
    const { comment_id: id } = request.path;
    return ok(await describeReviewComment(ports, access.repository, id, request));
  },
});
