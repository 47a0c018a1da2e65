import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { AccountList } from '../accounts/account-list-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';

/** That an account watches a repository, or ignores it. */
export interface RepositorySubscription {
  readonly ignored: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** What an account does with these repositories; without those that it neither watches nor ignores. */
export async function subscriptionsOf(
  sql: Sql,
  accountId: number,
  repositoryIds: readonly number[],
): Promise<Map<number, RepositorySubscription>> {
  if (repositoryIds.length === 0) return new Map();
  const rows = await sql.all<{ repository_id: number; ignored: number; created_at: number }>(
    `select repository_id, ignored, created_at from repository_subscriptions
     where repository_id in (${placeholders(repositoryIds.length)})
       and account_id = $${repositoryIds.length + 1}`,
    ...repositoryIds,
    accountId,
  );
  return new Map(
    rows.map((row) => [
      row.repository_id,
      { ignored: row.ignored === 1, createdAt: row.created_at },
    ]),
  );
}

export async function putSubscription(
  sql: RepositoryWrite,
  { accountId, repositoryId }: { readonly accountId: number; readonly repositoryId: number },
  ignored: boolean,
  now: number,
): Promise<RepositorySubscription> {
  const row = await sql.get<{ created_at: number }>(
    `insert into repository_subscriptions (account_id, repository_id, ignored, created_at)
     values ($1, $2, $3, $4)
     on conflict (account_id, repository_id) do update set ignored = excluded.ignored
     returning created_at`,
    accountId,
    repositoryId,
    Number(ignored),
    now,
  );
  await countSubscribers(sql, repositoryId);
  return { ignored, createdAt: row?.created_at ?? now };
}

export async function deleteSubscription(
  sql: RepositoryWrite,
  accountId: number,
  repositoryId: number,
): Promise<void> {
  await sql.run(
    `delete from repository_subscriptions where account_id = $1 and repository_id = $2`,
    accountId,
    repositoryId,
  );
  await countSubscribers(sql, repositoryId);
}

async function countSubscribers(sql: RepositoryWrite, repositoryId: number): Promise<void> {
  await sql.run(
    `update repositories set subscribers =
       (select count(*) from repository_subscriptions where repository_id = $1 and ignored = 0)
     where id = $1`,
    repositoryId,
  );
}

/** Those who watch a repository, in the order in which they began to. */
export function subscribersOf(repositoryId: number): AccountList {
  const from = `repository_subscriptions s join accounts a on a.id = s.account_id
    where s.repository_id = $1 and s.ignored = 0`;
  return { from, values: [repositoryId] };
}
