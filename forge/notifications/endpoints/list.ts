import { userEndpoint } from '../../conventions/endpoint.ts';
import { representThread } from '../notification-representation.ts';
import { listThreads } from '../notification-store.ts';
import {
  acceptedForNotifications,
  notificationScopes,
  visibleThreads,
} from '../visible-threads.ts';
import { momentIn } from '../moment.ts';

/** Threads that are looked through for a list; older ones are not shown. */
const threadsMax = 1000;
/** spec, Events 4. */
const pollSeconds = 60;

export const listNotifications = userEndpoint({
  operation: 'activity/list-notifications-for-authenticated-user',
  method: 'GET',
  path: '/notifications',
  docs: 'activity#list-notifications-for-the-authenticated-user',
  acceptedScopes: acceptedForNotifications,
  scopes: notificationScopes,
  async handle({ caller, query, page, urls }, { database }) {
    const filter = {
      all: query.get('all') === 'true',
      participating: query.get('participating') === 'true',
      since: momentIn(query, 'since'),
      before: momentIn(query, 'before'),
    };
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
