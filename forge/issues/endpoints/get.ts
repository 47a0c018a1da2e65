import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { describeIssue } from '../describe-issues.ts';

export const getIssue = repositoryEndpoint({
  operation: 'issues/get',
  method: 'GET',
  path: '/repos/:owner/:repo/issues/:issue_number',
  docs: 'issues#get-an-issue',
  acceptedScopes: 'repo',
  need: mayRead,
  formats: ['raw', 'text', 'html', 'full'],
  cacheable: true,
  async handle({ path, media, urls }, { repository }, { database }) {
    const { body, updatedAt } = await database.read((sql) =>
      describeIssue(sql, repository, path.issue_number, media.format, urls),
    );
    return ok(body, { lastModified: updatedAt });
  },
});
