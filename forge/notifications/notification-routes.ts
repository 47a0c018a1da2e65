import Type from 'typebox';

import { present } from '#platform/present.ts';

import { invalid } from '../errors/api-error.ts';
import { ok, noContent, pollSeconds } from '../http/endpoint-result.ts';
import { nullable } from '../http/schemas.ts';
import { userEndpoint, repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { representThread, representSubscription } from './notification-json.ts';
import { listThreads, markAllRead, markRead } from './notification-store.ts';
import { putThreadSubscription } from './thread-subscription-store.ts';
import type { NotificationFilter } from '../model/notification.ts';
import {
  acceptedForNotifications,
  notificationScopes,
  threadsMax,
  visibleThreads,
  maySubscribe,
  requireNotificationScope,
  getThread,
} from './visible-threads.ts';

/** Notifications, their threads and subscriptions. */
export const notificationRoutes: readonly Endpoint[] = [
  userEndpoint({
    operation: 'activity/list-notifications-for-authenticated-user',
    method: 'GET',
    path: '/notifications',
    docs: 'activity#list-notifications-for-the-authenticated-user',
    acceptedScopes: acceptedForNotifications,
    scopes: notificationScopes,
    async handle({ caller, query, page, urls }, { database }) {
      const filter = readFilter(query);
      const threads = await database.read(async (sql) =>
        visibleThreads(sql, caller, await listThreads(sql, caller.account.id, filter, threadsMax)),
      );
      const shown = threads.slice(page.offset, page.offset + page.size);
      const latest = threads[0]?.thread.updatedAt;
      return {
        kind: 'json',
        status: 200,
        body: shown.map(({ thread, repository }) => representThread(thread, repository, urls)),
        paging: { total: threads.length },
        pollSeconds,
        ...present({ lastModified: latest }),
      };
    },
  }),

  repositoryEndpoint({
    operation: 'activity/list-repo-notifications-for-authenticated-user',
    method: 'GET',
    path: '/repos/:owner/:repo/notifications',
    docs: 'activity#list-repository-notifications-for-the-authenticated-user',
    acceptedScopes: acceptedForNotifications,
    policy: maySubscribe,
    async handle({ caller, query, page, urls }, { repository }, { database }) {
      const { account } = requireNotificationScope(caller);
      const filter = { ...readFilter(query), repositoryId: repository.id };
      const threads = await database.read((sql) =>
        listThreads(sql, account.id, filter, threadsMax),
      );
      const shown = threads.slice(page.offset, page.offset + page.size);
      const latest = threads[0]?.updatedAt;
      return {
        kind: 'json',
        status: 200,
        body: shown.map((thread) => representThread(thread, repository, urls)),
        paging: { total: threads.length },
        pollSeconds,
        ...present({ lastModified: latest }),
      };
    },
  }),

  userEndpoint({
    operation: 'activity/mark-notifications-as-read',
    method: 'PUT',
    path: '/notifications',
    docs: 'activity#mark-notifications-as-read',
    acceptedScopes: acceptedForNotifications,
    scopes: notificationScopes,
    body: Type.Object({ last_read_at: Type.Optional(nullable(Type.String())) }),
    async handle({ caller, body, now }, { database }) {
      const { last_read_at: requested } = body;
      const until =
        requested === undefined || requested === null
          ? now
          : parseTimestamp(requested, 'last_read_at');
      await database.write((sql) => markAllRead(sql, { accountId: caller.account.id, until }, now));
      return { kind: 'empty', status: 205 };
    },
  }),

  repositoryEndpoint({
    operation: 'activity/mark-repo-notifications-as-read',
    method: 'PUT',
    path: '/repos/:owner/:repo/notifications',
    docs: 'activity#mark-repository-notifications-as-read',
    acceptedScopes: acceptedForNotifications,
    policy: maySubscribe,
    body: Type.Object({ last_read_at: Type.Optional(nullable(Type.String())) }),
    async handle({ caller, body, now }, { repository }, { database }) {
      const { account } = requireNotificationScope(caller);
      const { last_read_at: requested } = body;
      const until =
        requested === undefined || requested === null
          ? now
          : parseTimestamp(requested, 'last_read_at');
      const read = { accountId: account.id, until, repositoryId: repository.id };
      await database.write((sql) => markAllRead(sql, read, now));
      return { kind: 'empty', status: 205 };
    },
  }),

  userEndpoint({
    operation: 'activity/get-thread',
    method: 'GET',
    path: '/notifications/threads/:thread_id',
    docs: 'activity#get-a-thread',
    acceptedScopes: acceptedForNotifications,
    scopes: notificationScopes,
    async handle({ caller, path, urls }, { database }) {
      const found = await database.read((sql) => getThread(sql, caller, path.thread_id));
      const { thread, repository } = found;
      return ok(representThread(thread, repository, urls), { lastModified: thread.updatedAt });
    },
  }),

  userEndpoint({
    operation: 'activity/mark-thread-as-read',
    method: 'PATCH',
    path: '/notifications/threads/:thread_id',
    docs: 'activity#mark-a-thread-as-read',
    acceptedScopes: acceptedForNotifications,
    scopes: notificationScopes,
    async handle({ caller, path, now }, { database }) {
      await database.write(async (sql) => {
        const { thread } = await getThread(sql, caller, path.thread_id);
        await markRead(sql, thread.id, now);
      });
      return { kind: 'empty', status: 205 };
    },
  }),

  userEndpoint({
    operation: 'activity/get-thread-subscription-for-authenticated-user',
    method: 'GET',
    path: '/notifications/threads/:thread_id/subscription',
    docs: 'activity#get-a-thread-subscription-for-the-authenticated-user',
    acceptedScopes: acceptedForNotifications,
    scopes: notificationScopes,
    async handle({ caller, path, urls }, { database }) {
      const { thread } = await database.read((sql) => getThread(sql, caller, path.thread_id));
      return ok(representSubscription(thread, thread.state, urls));
    },
  }),

  userEndpoint({
    operation: 'activity/set-thread-subscription',
    method: 'PUT',
    path: '/notifications/threads/:thread_id/subscription',
    docs: 'activity#set-a-thread-subscription',
    acceptedScopes: acceptedForNotifications,
    scopes: notificationScopes,
    body: Type.Object({ ignored: Type.Optional(nullable(Type.Boolean())) }),
    async handle({ caller, path, body, urls, now }, { database }) {
      const ignored = body.ignored ?? false;
      const thread = await database.write(async (sql) => {
        const found = await getThread(sql, caller, path.thread_id);
        await putThreadSubscription(sql, found.thread, ignored ? 'ignored' : 'subscribed', now);
        return found.thread;
      });
      return ok(representSubscription(thread, ignored ? 'ignored' : 'subscribed', urls));
    },
  }),

  userEndpoint({
    operation: 'activity/delete-thread-subscription',
    method: 'DELETE',
    path: '/notifications/threads/:thread_id/subscription',
    docs: 'activity#delete-a-thread-subscription',
    acceptedScopes: acceptedForNotifications,
    scopes: notificationScopes,
    async handle({ caller, path, now }, { database }) {
      await database.write(async (sql) => {
        const { thread } = await getThread(sql, caller, path.thread_id);
        await putThreadSubscription(sql, thread, 'unsubscribed', now);
      });
      return noContent();
    },
  }),
];

function readFilter(query: URLSearchParams): NotificationFilter {
  return {
    all: query.get('all') === 'true',
    participating: query.get('participating') === 'true',
    since: timestampIn(query, 'since'),
    before: timestampIn(query, 'before'),
  };
}

/** A timestamp in a query, in milliseconds since the epoch; refuses invalid ones. */
function timestampIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text === null ? undefined : parseTimestamp(text, name);
}

function parseTimestamp(text: string, field: string): number {
  const timestamp = /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(timestamp)) return invalid({ resource: 'Notification', field, code: 'invalid' });
  return timestamp;
}
