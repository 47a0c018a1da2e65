import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { page as replyPage } from '../../http/reply.ts';
import { describeEvents } from '../describe-events.ts';
import { eventsOfIssue } from '../issue-event-store.ts';
import { findIssue } from '../issue-store.ts';

export const listEventsOfIssue = repositoryEndpoint({
  operation: 'issues/list-events',
  method: 'GET',
  path: '/repos/:owner/:repo/issues/:issue_number/events',
  docs: 'issues#list-issue-events',
  acceptedScopes: 'repo',
  need: mayRead,
  cacheable: true,
  async handle({ path, page, urls }, { repository }, { database }) {
    return database.read(async (sql) => {
      const issue = await findIssue(sql, repository.id, path.issue_number);
      if (!issue) return notFound();
      const { events, total } = await eventsOfIssue(sql, issue.id, page);
      return replyPage(await describeEvents(sql, repository, events, urls), total);
    });
  },
});
