import { mayRead } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { ok } from '../../conventions/reply.ts';
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
