import type { Sql } from '#platform/database/database.ts';

import type { AccountList } from '../accounts/account-list-store.ts';
import { placeholders } from '../accounts/account-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';

/** Returns false if the account had starred the repository before. */
export async function insertStar(
  sql: RepositoryWrite,
  accountId: number,
  repositoryId: number,
  now: number,
): Promise<boolean> {
  const added = await sql.run(
    `insert into stars (account_id, repository_id, created_at) values ($1, $2, $3)
     on conflict (account_id, repository_id) do nothing`,
    accountId,
    repositoryId,
    now,
  );
  if (added > 0) await addStargazers(sql, repositoryId, 1);
  return added > 0;
}

/** Returns false if the account had not starred the repository. */
export async function deleteStar(
  sql: RepositoryWrite,
  accountId: number,
  repositoryId: number,
): Promise<boolean> {
  const removed = await sql.run(
    `delete from stars where account_id = $1 and repository_id = $2`,
    accountId,
    repositoryId,
  );
  if (removed > 0) await addStargazers(sql, repositoryId, -1);
  return removed > 0;
}

async function addStargazers(
  sql: RepositoryWrite,
  repositoryId: number,
  change: 1 | -1,
): Promise<void> {
  await sql.run(
    `update repositories set stargazers = stargazers + $2 where id = $1`,
    repositoryId,
    change,
  );
}

/** When an account starred these repositories; without those that it has not. */
export async function starsOf(
  sql: Sql,
  accountId: number,
  repositoryIds: readonly number[],
): Promise<Map<number, number>> {
  if (repositoryIds.length === 0) return new Map();
  const rows = await sql.all<{ repository_id: number; created_at: number }>(
    `select repository_id, created_at from stars
     where repository_id in (${placeholders(repositoryIds.length)})
       and account_id = $${repositoryIds.length + 1}`,
    ...repositoryIds,
    accountId,
  );
  return new Map(rows.map((row) => [row.repository_id, row.created_at]));
}

/** In the order in which they starred the repository. */
export function stargazersOf(repositoryId: number): AccountList {
  const from = 'stars s join accounts a on a.id = s.account_id where s.repository_id = $1';
  return { from, values: [repositoryId] };
}
