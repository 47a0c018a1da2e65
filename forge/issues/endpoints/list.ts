import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import { surroundingsOfIssues } from '../describe-issues.ts';
import { readIssueFilter } from '../issue-filter.ts';
import { representIssueSummary } from '../issue-json.ts';
import { listIssues } from '../issue-store.ts';

export const listIssuesOfRepository = repositoryEndpoint({
  operation: 'issues/list-for-repo',
  method: 'GET',
  path: '/repos/:owner/:repo/issues',
  docs: 'issues#list-repository-issues',
  acceptedScopes: 'repo',
  need: mayRead,
  formats: ['raw', 'text', 'html', 'full'],
  cacheable: true,
  async handle({ query, page, media, urls }, { repository }, { database }) {
    const filter = readIssueFilter(query);
    return database.read(async (sql) => {
      const { issues, total } = await listIssues(sql, repository.id, filter, page);
      const surroundings = await surroundingsOfIssues(sql, repository, issues);
      return replyPage(
        issues.map((issue) => representIssueSummary(issue, surroundings, media.format, urls)),
        total,
      );
    });
  },
});
