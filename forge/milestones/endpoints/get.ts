import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { describeMilestone } from '../describe-milestones.ts';

export const getMilestone = repositoryEndpoint({
  operation: 'issues/get-milestone',
  method: 'GET',
  path: '/repos/:owner/:repo/milestones/:milestone_number',
  docs: 'issues#get-a-milestone',
  acceptedScopes: 'repo',
  need: mayRead,
  cacheable: true,
  async handle({ path, urls }, { repository }, { database }) {
    const { milestone_number: number } = path;
    return ok(await database.read((sql) => describeMilestone(sql, repository, number, urls)));
  },
});
