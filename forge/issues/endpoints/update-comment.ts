import Type from 'typebox';

import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { changeComment } from '../change-comment.ts';
import { editComment } from '../comment-store.ts';
import { checkCommentBody } from '../../model/comment.ts';
import { describeComment } from '../describe-comments.ts';
import { maySpeak } from '../issue-policies.ts';

export const updateComment = repositoryEndpoint({
  operation: 'issues/update-comment',
  method: 'PATCH',
  path: '/repos/:owner/:repo/issues/comments/:comment_id',
  docs: 'issues#update-an-issue-comment',
  need: maySpeak,
  formats: ['raw', 'text', 'html', 'full'],
  body: Type.Object({ body: Type.String() }),
  async handle(request, access, { database }) {
    const { path, media, urls } = request;
    const { body } = request.body;
    checkCommentBody(body);
    await changeComment({ database }, access, request, (sql, comment, change) =>
      editComment(sql, comment, body, change),
    );
    const described = await database.read((sql) =>
      describeComment(sql, access.repository, path.comment_id, media.format, urls),
    );
    return ok(described.body);
  },
});
