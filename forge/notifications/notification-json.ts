import { type Json, timestamp } from '../json/json-values.ts';
import { representMinimalRepository } from '../repositories/repository-json.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import type { NotificationThread, ThreadState } from '../model/notification.ts';

type Representation = { [field: string]: Json };

export function representThread(
  thread: NotificationThread,
  repository: Repository,
  urls: Urls,
): Representation {
  const { number, title, pull } = thread.subject;
  const name = fullName(repository);
  const subject = pull ? urls.pull(name, number) : urls.issue(name, number);
  const url = urls.notificationThread(thread.id);
  return {
    id: String(thread.id),
    unread: thread.unread,
    reason: thread.reason,
    updated_at: timestamp(thread.updatedAt),
    last_read_at: timestamp(thread.lastReadAt),
    subject: {
      title,
      url: subject,
      latest_comment_url: subject,
      type: pull ? 'PullRequest' : 'Issue',
    },
    repository: representMinimalRepository(repository, urls),
    url,
    subscription_url: `${url}/subscription`,
  };
}

export function representSubscription(
  thread: NotificationThread,
  state: ThreadState,
  urls: Urls,
): Representation {
  const url = urls.notificationThread(thread.id);
  return {
    subscribed: state === 'subscribed',
    ignored: state === 'ignored',
    reason: null,
    created_at: timestamp(thread.subscribedAt),
    url: `${url}/subscription`,
    thread_url: url,
  };
}
