import Type from 'typebox';

import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { created } from '../../http/reply.ts';
import { fullName } from '../../model/repository.ts';
import { writeComment } from '../change-comment.ts';
import { checkCommentBody } from '../../model/comment.ts';
import { describeComment } from '../describe-comments.ts';
import { maySpeak } from '../issue-policies.ts';

export const createComment = repositoryEndpoint({
  operation: 'issues/create-comment',
  method: 'POST',
  path: '/repos/:owner/:repo/issues/:issue_number/comments',
  docs: 'issues#create-an-issue-comment',
  need: maySpeak,
  formats: ['raw', 'text', 'html', 'full'],
  body: Type.Object({ body: Type.String() }),
  async handle(request, access, { database }) {
    const { caller, path, media, urls, now } = request;
    const { repository } = access;
    const { body } = request.body;
    checkCommentBody(body);
    const number = path.issue_number;
    const id = await writeComment({ database }, access, { caller, number, body, now });
    const described = await database.read((sql) =>
      describeComment(sql, repository, id, media.format, urls),
    );
    return created(described.body, urls.issueComment(fullName(repository), id));
  },
});
