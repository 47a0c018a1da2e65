import type { Sql } from '#platform/database/database.ts';

import { caseless } from '../model/account.ts';
import { type NotificationReason, notificationReasons } from '../model/notification.ts';

/** A change of an issue or pull. */
export interface Change {
  readonly issueId: number;
  readonly repositoryId: number;
  /** Gets no notification of it; null: no account did it. */
  readonly actorId: number | null;
  readonly now: number;
}

/** A reason with its rank before it, for `min`: an account with several reasons gets the strongest. */
const ranked = (reason: NotificationReason): string =>
  `${notificationReasons.indexOf(reason)}${reason}`;
const rankOfThread = notificationReasons
  .map((reason) => `when '${reason}' then '${ranked(reason)}'`)
  .join(' ');

/**
 * Notifies those whom a change concerns: the author, the assignees, everybody who took part in the thread, and those who watch the
 * repository; not the actor, and not users who ignore the thread or the repository.
 */
export async function notifyParticipants(sql: Sql, change: Change): Promise<void> {
  await sql.run(
    `insert into notification_threads
       (account_id, issue_id, repository_id, reason, subscribed_at, updated_at)
     select account_id, cast($1 as bigint), cast($2 as bigint), substr(min(ranked), 2), cast($4 as bigint), cast($4 as bigint)
     from (
       select author_id as account_id, '${ranked('author')}' as ranked from issues where id = $1
       union all select account_id, '${ranked('assign')}' from issue_assignees where issue_id = $1
       union all select account_id, case reason ${rankOfThread} end from notification_threads
         where issue_id = $1 and reason <> 'subscribed'
       union all select account_id, '${ranked('subscribed')}' from repository_subscriptions where repository_id = $2
     ) recipients where account_id <> $3 and not exists
       (select 1 from repository_subscriptions s
        where s.repository_id = $2 and s.account_id = recipients.account_id and s.ignored = 1)
     group by account_id
     on conflict (account_id, issue_id) do update
       set unread = 1, reason = excluded.reason, updated_at = excluded.updated_at
       where notification_threads.ignored = 0`,
    change.issueId,
    change.repositoryId,
    change.actorId ?? 0,
    change.now,
  );
}

/** Notifies one account, unless it did it or ignores the thread or the repository. It is subscribed to the thread from now on. */
export function notifyAccount(
  sql: Sql,
  change: Change,
  accountId: number,
  reason: NotificationReason,
): Promise<void> {
  return notifySelected(sql, change, `select id from accounts where id = $1`, accountId, reason);
}

/** The same for the members of a team, in one statement. */
export function notifyTeam(
  sql: Sql,
  change: Change,
  teamId: number,
  reason: NotificationReason,
): Promise<void> {
  const members = `select user_id as id from team_members where team_id = $1`;
  return notifySelected(sql, change, members, teamId, reason);
}

/** `recipients` selects accounts by `$1`. */
async function notifySelected(
  sql: Sql,
  change: Change,
  recipients: string,
  selectedBy: number,
  reason: NotificationReason,
): Promise<void> {
  await sql.run(
    `insert into notification_threads
       (account_id, issue_id, repository_id, reason, subscribed_at, updated_at)
     select a.id, cast($2 as bigint), cast($3 as bigint), $4, cast($5 as bigint), cast($5 as bigint)
     from (${recipients}) a where a.id <> $6 and not exists
       (select 1 from repository_subscriptions s where s.repository_id = $3 and s.account_id = a.id and s.ignored = 1)
     on conflict (account_id, issue_id) do update
       set unread = 1, ignored = 0, reason = excluded.reason, updated_at = excluded.updated_at
       where notification_threads.ignored <> 1`,
    selectedBy,
    change.issueId,
    change.repositoryId,
    reason,
    change.now,
    change.actorId ?? 0,
  );
}

/**
 * The actor gets the further notifications of the thread, also after it has unsubscribed (`ignored` is 2). A thread without a notification yet has an update time of 0 and is in no
 * list.
 */
export async function addParticipant(
  sql: Sql,
  { actorId, issueId, repositoryId, now }: Change,
  reason: NotificationReason,
): Promise<void> {
  if (actorId === null) return;
  await sql.run(
    `insert into notification_threads
       (account_id, issue_id, repository_id, reason, unread, subscribed_at, updated_at)
     values ($1, $2, $3, $4, 0, $5, 0)
     on conflict (account_id, issue_id) do update set
       reason = case when notification_threads.reason = 'subscribed' then excluded.reason else notification_threads.reason end,
       ignored = case when notification_threads.ignored = 2 then 0 else notification_threads.ignored end
       where notification_threads.reason = 'subscribed' or notification_threads.ignored = 2`,
    actorId,
    issueId,
    repositoryId,
    reason,
    now,
  );
}

/** Users by their logins. */
export async function usersNamed(sql: Sql, logins: readonly string[]): Promise<number[]> {
  if (logins.length === 0) return [];
  const list = logins.map((_, index) => `$${index + 1}`).join(', ');
  const rows = await sql.all<{ id: number }>(
    `select id from accounts where kind = 'user' and login_key in (${list}) order by id`,
    ...logins.map(caseless),
  );
  return rows.map(({ id }) => id);
}

/** Where a text is that may mention users. */
export type TextLocation =
  | { readonly table: 'issues'; readonly id: number }
  | { readonly table: 'issue_comments'; readonly id: number }
  | { readonly table: 'reviews'; readonly id: number }
  | { readonly table: 'review_comments'; readonly id: number };

export async function readWritten(sql: Sql, { table, id }: TextLocation): Promise<string> {
  const row = await sql.get<{ body: string | null }>(`select body from ${table} where id = $1`, id);
  return row?.body ?? '';
}
