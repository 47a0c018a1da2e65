import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import {
  type NotificationReason,
  notificationReasons,
  type ThreadState,
  threadStates,
  type ThreadSubscription,
} from '../model/notification.ts';

interface SubscriptionRow {
  id: number;
  reason: NotificationReason | null;
  thread_state: number | null;
  is_author: number;
  is_assignee: number;
  /** Of the repository: 0 is watched, 1 ignored, null neither. */
  repository_ignored: number | null;
}

/**
 * Whether and why an account gets the notifications of these issues and pulls. The reasons are those of `notifyParticipants`
 * (events/notify-store.ts): a watched repository, its own issues and those that it is assigned to have no thread yet.
 */
export async function threadSubscriptionsOf(
  sql: Sql,
  accountId: number,
  issueIds: readonly number[],
): Promise<Map<number, ThreadSubscription>> {
  if (issueIds.length === 0) return new Map();
  const account = `$${issueIds.length + 1}`;
  const rows = await sql.all<SubscriptionRow>(
    `select i.id, t.reason, t.ignored as thread_state, s.ignored as repository_ignored,
       case when i.author_id = ${account} then 1 else 0 end as is_author,
       case when a.account_id is null then 0 else 1 end as is_assignee
     from issues i
       left join notification_threads t on t.issue_id = i.id and t.account_id = ${account}
       left join repository_subscriptions s on s.repository_id = i.repository_id and s.account_id = ${account}
       left join issue_assignees a on a.issue_id = i.id and a.account_id = ${account}
     where i.id in (${placeholders(issueIds.length)})`,
    ...issueIds,
    accountId,
  );
  return new Map(rows.map((row) => [row.id, subscriptionFromRow(row)]));
}

function subscriptionFromRow(row: SubscriptionRow): ThreadSubscription {
  const state = threadStates[row.thread_state ?? 0];
  if (row.repository_ignored === 1) return { state: 'ignored', of: 'repository' };
  if (state === 'ignored') return { state: 'ignored', of: 'thread' };
  if (state === 'unsubscribed') return { state: 'unsubscribed' };
  const held = new Set<NotificationReason>([
    ...(row.reason === null || row.reason === 'subscribed' ? [] : [row.reason]),
    ...(row.is_author === 1 ? ['author' as const] : []),
    ...(row.is_assignee === 1 ? ['assign' as const] : []),
    ...(row.repository_ignored === 0 ? ['subscribed' as const] : []),
  ]);
  const reason = notificationReasons.find((each) => held.has(each));
  return reason === undefined ? { state: 'unsubscribed' } : { state: 'subscribed', reason };
}

/** Changes what an account gets of an issue or pull, whether it has a thread of it or not. */
export async function putThreadSubscription(
  sql: Sql,
  thread: {
    readonly accountId: number;
    readonly issueId: number;
    readonly repositoryId: number;
  },
  state: ThreadState,
  now: number,
): Promise<void> {
  // A thread without a notification yet has an update time of 0 and is in no list.
  await sql.run(
    `insert into notification_threads
       (account_id, issue_id, repository_id, reason, unread, ignored, subscribed_at, updated_at)
     values ($1, $2, $3, 'manual', 0, $4, $5, 0)
     on conflict (account_id, issue_id) do update set ignored = excluded.ignored,
       reason = case when excluded.ignored = 0 and notification_threads.reason = 'subscribed'
         then excluded.reason else notification_threads.reason end`,
    thread.accountId,
    thread.issueId,
    thread.repositoryId,
    threadStates.indexOf(state),
    now,
  );
}
