import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { AccountList } from '../accounts/account-list-store.ts';

export interface FollowCounts {
  readonly followers: number;
  readonly following: number;
}

export async function insertFollow(
  sql: Sql,
  followerId: number,
  followedId: number,
  now: number,
): Promise<void> {
  await sql.run(
    `insert into follows (follower_id, followed_id, created_at) values ($1, $2, $3)
     on conflict (follower_id, followed_id) do nothing`,
    followerId,
    followedId,
    now,
  );
}

export async function deleteFollow(
  sql: Sql,
  followerId: number,
  followedId: number,
): Promise<void> {
  await sql.run(
    `delete from follows where follower_id = $1 and followed_id = $2`,
    followerId,
    followedId,
  );
}

/** Which of these accounts an account follows. */
export async function followedAmong(
  sql: Sql,
  followerId: number,
  accountIds: readonly number[],
): Promise<Set<number>> {
  if (accountIds.length === 0) return new Set();
  const rows = await sql.all<{ followed_id: number }>(
    `select followed_id from follows where followed_id in (${placeholders(accountIds.length)})
       and follower_id = $${accountIds.length + 1}`,
    ...accountIds,
    followerId,
  );
  return new Set(rows.map((row) => row.followed_id));
}

export async function follows(sql: Sql, followerId: number, followedId: number): Promise<boolean> {
  const row = await sql.get(
    `select 1 as found from follows where follower_id = $1 and followed_id = $2`,
    followerId,
    followedId,
  );
  return row !== undefined;
}

/** Counted in indexes: a row of an account is in every cached response, and would be written with each follow. */
export async function countFollows(sql: Sql, accountId: number): Promise<FollowCounts> {
  const row = await sql.get<{ followers: number; following: number }>(
    `select (select count(*) from follows where followed_id = $1) as followers,
       (select count(*) from follows where follower_id = $1) as following`,
    accountId,
  );
  return { followers: row?.followers ?? 0, following: row?.following ?? 0 };
}

/** The latest first. */
export function followersOf(accountId: number): AccountList {
  const from = 'follows s join accounts a on a.id = s.follower_id where s.followed_id = $1';
  return { from, values: [accountId], descending: true };
}

export function followedBy(accountId: number): AccountList {
  const from = 'follows s join accounts a on a.id = s.followed_id where s.follower_id = $1';
  return { from, values: [accountId], descending: true };
}
