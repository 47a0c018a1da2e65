import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import { describeMilestones } from '../describe-milestones.ts';
import { readMilestoneFilter } from '../milestone-filter.ts';
import { listMilestones as milestonesOf } from '../milestone-store.ts';

export const listMilestones = repositoryEndpoint({
  operation: 'issues/list-milestones',
  method: 'GET',
  path: '/repos/:owner/:repo/milestones',
  docs: 'issues#list-milestones',
  acceptedScopes: 'repo',
  need: mayRead,
  cacheable: true,
  async handle({ query, page, urls }, { repository }, { database }) {
    const filter = readMilestoneFilter(query);
    return database.read(async (sql) => {
      const { milestones, total } = await milestonesOf(sql, repository.id, filter, page);
      return replyPage(await describeMilestones(sql, repository, milestones, urls), total);
    });
  },
});
