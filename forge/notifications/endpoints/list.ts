import { userEndpoint } from '../../routing/endpoint.ts';
import { readFilter } from '../notification-filter.ts';
import { representThread } from '../notification-json.ts';
import { listThreads } from '../notification-store.ts';
import {
  acceptedForNotifications,
  notificationScopes,
  pollSeconds,
  threadsMax,
  visibleThreads,
} from '../visible-threads.ts';

export const listNotifications = userEndpoint({
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
      ...(latest === undefined ? {} : { lastModified: latest }),
    };
  },
});
