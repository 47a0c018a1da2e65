import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { describeComment } from '../describe-comments.ts';

export const getComment = repositoryEndpoint({
  operation: 'issues/get-comment',
  method: 'GET',
  path: '/repos/:owner/:repo/issues/comments/:comment_id',
  docs: 'issues#get-an-issue-comment',
  need: mayRead,
  formats: ['raw', 'text', 'html', 'full'],
  cacheable: true,
  async handle({ path, media, urls }, { repository }, { database }) {
    const { body, updatedAt } = await database.read((sql) =>
      describeComment(sql, repository, path.comment_id, media.format, urls),
    );
    return ok(body, { lastModified: updatedAt });
  },
});
