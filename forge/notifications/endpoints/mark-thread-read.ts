import { userEndpoint } from '../../routing/endpoint.ts';
import { markRead } from '../notification-store.ts';
import {
  acceptedForNotifications,
  notificationScopes,
  requiredThread,
} from '../visible-threads.ts';

export const markThreadRead = userEndpoint({
  operation: 'activity/mark-thread-as-read',
  method: 'PATCH',
  path: '/notifications/threads/:thread_id',
  docs: 'activity#mark-a-thread-as-read',
  acceptedScopes: acceptedForNotifications,
  scopes: notificationScopes,
  async handle({ caller, path, now }, { database }) {
    await database.write(async (sql) => {
      const { thread } = await requiredThread(sql, caller, path.thread_id);
      await markRead(sql, thread.id, now);
    });
    return { kind: 'empty', status: 205 };
  },
});
