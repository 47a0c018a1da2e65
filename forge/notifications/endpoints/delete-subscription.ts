import { userEndpoint } from '../../routing/endpoint.ts';
import { noContent } from '../../http/reply.ts';
import { setIgnored } from '../notification-store.ts';
import {
  acceptedForNotifications,
  notificationScopes,
  requiredThread,
} from '../visible-threads.ts';

export const deleteThreadSubscription = userEndpoint({
  operation: 'activity/delete-thread-subscription',
  method: 'DELETE',
  path: '/notifications/threads/:thread_id/subscription',
  docs: 'activity#delete-a-thread-subscription',
  acceptedScopes: acceptedForNotifications,
  scopes: notificationScopes,
  async handle({ caller, path }, { database }) {
    await database.write(async (sql) => {
      const { thread } = await requiredThread(sql, caller, path.thread_id);
      await setIgnored(sql, thread.id, true);
    });
    return noContent();
  },
});
