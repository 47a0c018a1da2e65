import { userEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { representThread } from '../notification-json.ts';
import {
  acceptedForNotifications,
  notificationScopes,
  requiredThread,
} from '../visible-threads.ts';

export const getThread = userEndpoint({
  operation: 'activity/get-thread',
  method: 'GET',
  path: '/notifications/threads/:thread_id',
  docs: 'activity#get-a-thread',
  acceptedScopes: acceptedForNotifications,
  scopes: notificationScopes,
  async handle({ caller, path, urls }, { database }) {
    const found = await database.read((sql) => requiredThread(sql, caller, path.thread_id));
    const { thread, repository } = found;
    return ok(representThread(thread, repository, urls), { lastModified: thread.updatedAt });
  },
});
