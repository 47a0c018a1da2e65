import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import { describeEventsWithIssues } from '../describe-events.ts';
import { eventsOfRepository } from '../issue-event-store.ts';

export const listEventsOfRepository = repositoryEndpoint({
  operation: 'issues/list-events-for-repo',
  method: 'GET',
  path: '/repos/:owner/:repo/issues/events',
  docs: 'issues#list-issue-events-for-a-repository',
  acceptedScopes: 'repo',
  need: mayRead,
  cacheable: true,
  async handle({ page, urls }, { repository }, { database }) {
    return database.read(async (sql) => {
      const { events, total } = await eventsOfRepository(sql, repository.id, page);
      return replyPage(await describeEventsWithIssues(sql, repository, events, urls), total);
    });
  },
});
