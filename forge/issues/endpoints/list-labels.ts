import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import { labelsOfIssue } from '../labels-of-issue.ts';

export const listLabelsOfIssue = repositoryEndpoint({
  operation: 'issues/list-labels-on-issue',
  method: 'GET',
  path: '/repos/:owner/:repo/issues/:issue_number/labels',
  docs: 'issues#list-labels-for-an-issue',
  acceptedScopes: 'repo',
  need: mayRead,
  cacheable: true,
  async handle({ path, page, urls }, { repository }, { database }) {
    const labels = await database.read((sql) =>
      labelsOfIssue(sql, repository, path.issue_number, urls),
    );
    // An issue has so few that one statement reads them all.
    return replyPage(labels.slice(page.offset, page.offset + page.size), labels.length);
  },
});
