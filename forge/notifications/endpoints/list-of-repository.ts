import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { readFilter } from '../notification-filter.ts';
import { representThread } from '../notification-json.ts';
import { listThreads } from '../notification-store.ts';
import {
  acceptedForNotifications,
  mayHearOf,
  pollSeconds,
  requiredListener,
  threadsMax,
} from '../visible-threads.ts';

export const listNotificationsOfRepository = repositoryEndpoint({
  operation: 'activity/list-repo-notifications-for-authenticated-user',
  method: 'GET',
  path: '/repos/:owner/:repo/notifications',
  docs: 'activity#list-repository-notifications-for-the-authenticated-user',
  acceptedScopes: acceptedForNotifications,
  need: mayHearOf,
  async handle({ caller, query, page, urls }, { repository }, { database }) {
    const { account } = requiredListener(caller);
    const filter = { ...readFilter(query), repositoryId: repository.id };
    const threads = await database.read((sql) => listThreads(sql, account.id, filter, threadsMax));
    const shown = threads.slice(page.offset, page.offset + page.size);
    const latest = threads[0]?.updatedAt;
    return {
      kind: 'json',
      status: 200,
      body: shown.map((thread) => representThread(thread, repository, urls)),
      paging: { total: threads.length },
      pollSeconds,
      ...(latest === undefined ? {} : { lastModified: latest }),
    };
  },
});
