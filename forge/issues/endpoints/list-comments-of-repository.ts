import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import { readRepositoryCommentFilter } from '../comment-filter.ts';
import { listComments } from '../comment-store.ts';
import { describeComments } from '../describe-comments.ts';

export const listCommentsOfRepository = repositoryEndpoint({
  operation: 'issues/list-comments-for-repo',
  method: 'GET',
  path: '/repos/:owner/:repo/issues/comments',
  docs: 'issues#list-issue-comments-for-a-repository',
  need: mayRead,
  formats: ['raw', 'text', 'html', 'full'],
  cacheable: true,
  async handle({ query, page, media, urls }, { repository }, { database }) {
    const filter = readRepositoryCommentFilter(query);
    return database.read(async (sql) => {
      const of = { kind: 'repository', id: repository.id } as const;
      const { comments, total } = await listComments(sql, of, filter, page);
      return replyPage(
        await describeComments(sql, repository, comments, media.format, urls),
        total,
      );
    });
  },
});
