import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { describeEventsWithIssues } from '../describe-events.ts';
import { findEvent } from '../issue-event-store.ts';

export const getIssueEvent = repositoryEndpoint({
  operation: 'issues/get-event',
  method: 'GET',
  path: '/repos/:owner/:repo/issues/events/:event_id',
  docs: 'issues#get-an-issue-event',
  acceptedScopes: 'repo',
  need: mayRead,
  cacheable: true,
  async handle({ path, urls }, { repository }, { database }) {
    return database.read(async (sql) => {
      const event = await findEvent(sql, repository.id, path.event_id);
      const [described] = event
        ? await describeEventsWithIssues(sql, repository, [event], urls)
        : [];
      return described === undefined ? notFound() : ok(described);
    });
  },
});
