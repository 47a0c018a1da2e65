import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { page as replyPage } from '../../http/reply.ts';
import { readCommentFilter } from '../comment-filter.ts';
import { listComments } from '../comment-store.ts';
import { describeComments } from '../describe-comments.ts';
import { findIssue } from '../issue-store.ts';

export const listCommentsOfIssue = repositoryEndpoint({
  operation: 'issues/list-comments',
  method: 'GET',
  path: '/repos/:owner/:repo/issues/:issue_number/comments',
  docs: 'issues#list-issue-comments',
  need: mayRead,
  formats: ['raw', 'text', 'html', 'full'],
  cacheable: true,
  async handle({ path, query, page, media, urls }, { repository }, { database }) {
    const filter = readCommentFilter(query);
    return database.read(async (sql) => {
      const issue = await findIssue(sql, repository.id, path.issue_number);
      if (!issue) return notFound();
      const of = { kind: 'issue', id: issue.id } as const;
      const { comments, total } = await listComments(sql, of, filter, page);
      return replyPage(
        await describeComments(sql, repository, comments, media.format, urls),
        total,
      );
    });
  },
});
