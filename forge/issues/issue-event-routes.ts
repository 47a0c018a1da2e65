import { notFound } from '../errors/api-error.ts';
import { page as pageResult, ok } from '../http/endpoint-result.ts';
import { mayRead } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { describeEventsWithIssues, describeEvents } from './describe-events.ts';
import { eventsOfRepository, eventsOfIssue, findEvent } from './issue-event-store.ts';
import { findIssue } from './issue-store.ts';

/** The timeline of an issue. */
export const issueEventRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'issues/list-events-for-repo',
    method: 'GET',
    path: '/repos/:owner/:repo/issues/events',
    docs: 'issues#list-issue-events-for-a-repository',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ page, urls }, { repository }, { database }) {
      return database.read(async (sql) => {
        const { events, total } = await eventsOfRepository(sql, repository.id, page);
        return pageResult(await describeEventsWithIssues(sql, repository, events, urls), total);
      });
    },
  }),

  repositoryEndpoint({
    operation: 'issues/list-events',
    method: 'GET',
    path: '/repos/:owner/:repo/issues/:issue_number/events',
    docs: 'issues#list-issue-events',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ path, page, urls }, { repository }, { database }) {
      return database.read(async (sql) => {
        const issue = await findIssue(sql, repository.id, path.issue_number);
        if (!issue) return notFound();
        const { events, total } = await eventsOfIssue(sql, issue.id, page);
        return pageResult(await describeEvents(sql, repository, events, urls), total);
      });
    },
  }),

  repositoryEndpoint({
    operation: 'issues/get-event',
    method: 'GET',
    path: '/repos/:owner/:repo/issues/events/:event_id',
    docs: 'issues#get-an-issue-event',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ path, urls }, { repository }, { database }) {
      return database.read(async (sql) => {
        const event = await findEvent(sql, repository.id, path.event_id);
        const [representation] = event
          ? await describeEventsWithIssues(sql, repository, [event], urls)
          : [];
        return representation === undefined ? notFound() : ok(representation);
      });
    },
  }),
];
