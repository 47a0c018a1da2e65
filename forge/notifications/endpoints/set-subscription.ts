import Type from 'typebox';

import { userEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { orNull } from '../../http/schemas.ts';
import { representSubscription } from '../notification-json.ts';
import { setIgnored } from '../notification-store.ts';
import {
  acceptedForNotifications,
  notificationScopes,
  requiredThread,
} from '../visible-threads.ts';

export const setThreadSubscription = userEndpoint({
  operation: 'activity/set-thread-subscription',
  method: 'PUT',
  path: '/notifications/threads/:thread_id/subscription',
  docs: 'activity#set-a-thread-subscription',
  acceptedScopes: acceptedForNotifications,
  scopes: notificationScopes,
  body: Type.Object({ ignored: Type.Optional(orNull(Type.Boolean())) }),
  async handle({ caller, path, body, urls }, { database }) {
    const ignored = body.ignored ?? false;
    const thread = await database.write(async (sql) => {
      const found = await requiredThread(sql, caller, path.thread_id);
      await setIgnored(sql, found.thread.id, ignored);
      return found.thread;
    });
    return ok(representSubscription(thread, ignored, urls));
  },
});
