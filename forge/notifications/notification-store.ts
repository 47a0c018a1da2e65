import type { Sql } from '#platform/database/database.ts';

import {
  type NotificationFilter,
  type NotificationReason,
  type NotificationThread,
  threadStates,
} from '../model/notification.ts';

interface ThreadRow {
  id: number;
  account_id: number;
  repository_id: number;
  issue_id: number;
  reason: NotificationReason;
  unread: number;
  ignored: number;
  subscribed_at: number;
  updated_at: number;
  last_read_at: number | null;
  number: number;
  title: string;
  is_pull: number;
}

const columns = `t.id, t.account_id, t.repository_id, t.issue_id, t.reason, t.unread, t.ignored, t.subscribed_at, t.updated_at,
  t.last_read_at, i.number, i.title, i.is_pull`;
const tables = 'notification_threads t join issues i on i.id = t.issue_id';

/** The threads of the account that match the filter, newest first; at most `max`. */
export async function listThreads(
  sql: Sql,
  accountId: number,
  filter: NotificationFilter,
  max: number,
): Promise<NotificationThread[]> {
  const rows = await sql.all<ThreadRow>(
    `select ${columns} from ${tables} where t.account_id = $1 and t.updated_at > 0 and t.updated_at >= $2 and t.updated_at < $3
       and (t.unread = 1 or $4 = 1) and (t.reason <> 'subscribed' or $5 = 0) and ($6 = 0 or t.repository_id = $6)
     order by t.updated_at desc, t.id desc limit $7`,
    accountId,
    filter.since ?? 0,
    filter.before ?? Number.MAX_SAFE_INTEGER,
    Number(filter.all),
    Number(filter.participating),
    filter.repositoryId ?? 0,
    max,
  );
  return rows.map(threadFromRow);
}

export async function findThread(
  sql: Sql,
  accountId: number,
  id: number,
): Promise<NotificationThread | undefined> {
  const row = await sql.get<ThreadRow>(
    `select ${columns} from ${tables} where t.account_id = $1 and t.id = $2`,
    accountId,
    id,
  );
  return row && threadFromRow(row);
}

/** Marks the threads up to a time as read, in all repositories or in one. */
export async function markAllRead(
  sql: Sql,
  read: { readonly accountId: number; readonly until: number; readonly repositoryId?: number },
  now: number,
): Promise<void> {
  await sql.run(
    `update notification_threads set unread = 0, last_read_at = $3
     where account_id = $1 and unread = 1 and updated_at <= $2 and ($4 = 0 or repository_id = $4)`,
    read.accountId,
    read.until,
    now,
    read.repositoryId ?? 0,
  );
}

export async function markRead(sql: Sql, id: number, now: number): Promise<void> {
  await sql.run(
    `update notification_threads set unread = 0, last_read_at = $2 where id = $1 and unread = 1`,
    id,
    now,
  );
}

function threadFromRow(row: ThreadRow): NotificationThread {
  return {
    id: row.id,
    accountId: row.account_id,
    repositoryId: row.repository_id,
    reason: row.reason,
    unread: row.unread === 1,
    state: threadStates[row.ignored] ?? 'subscribed',
    issueId: row.issue_id,
    subject: { number: row.number, title: row.title, pull: row.is_pull === 1 },
    subscribedAt: row.subscribed_at,
    updatedAt: row.updated_at,
    lastReadAt: row.last_read_at,
  };
}
