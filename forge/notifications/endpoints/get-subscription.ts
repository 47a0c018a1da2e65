import { userEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { representSubscription } from '../notification-json.ts';
import {
  acceptedForNotifications,
  notificationScopes,
  requiredThread,
} from '../visible-threads.ts';

export const getThreadSubscription = userEndpoint({
  operation: 'activity/get-thread-subscription-for-authenticated-user',
  method: 'GET',
  path: '/notifications/threads/:thread_id/subscription',
  docs: 'activity#get-a-thread-subscription-for-the-authenticated-user',
  acceptedScopes: acceptedForNotifications,
  scopes: notificationScopes,
  async handle({ caller, path, urls }, { database }) {
    const { thread } = await database.read((sql) => requiredThread(sql, caller, path.thread_id));
    return ok(representSubscription(thread, thread.ignored, urls));
  },
});
