import type { Sql } from '#platform/database/database.ts';

/**
 * Creates the notifications about a change of a pull (forge 13.1), in the transaction of the change: for its author, its
 * assignees and those who watch the repository, but not for the actor and not for users who ignore the thread or the repository.
 */
export async function notifyPull(
  sql: Sql,
  pull: { readonly id: number; readonly repositoryId: number },
  actorId: number | null,
  now: number,
): Promise<void> {
  await sql.run(
    `insert into notification_threads
       (account_id, issue_id, repository_id, reason, subscribed_at, updated_at)
     select account_id, cast($1 as bigint), cast($2 as bigint), min(reason), cast($4 as bigint), cast($4 as bigint)
     from (
       select author_id as account_id, 'author' as reason from issues where id = $1
       union all select account_id, 'assign' from issue_assignees where issue_id = $1
       union all select account_id, 'subscribed' from repository_subscriptions where repository_id = $2
     ) recipients where account_id <> $3 and not exists
       (select 1 from repository_subscriptions s
        where s.repository_id = $2 and s.account_id = recipients.account_id and s.ignored = 1)
     group by account_id
     on conflict (account_id, issue_id) do update
       set unread = 1, reason = excluded.reason, updated_at = excluded.updated_at
       where notification_threads.ignored = 0`,
    pull.id,
    pull.repositoryId,
    actorId ?? 0,
    now,
  );
}
