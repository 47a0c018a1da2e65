import { defaultShard } from '#forge/git/process/sharded-git.ts';
import type { Sql } from '#platform/database/database.ts';

import { listShards } from '../shards/shard-store.ts';
import { databaseNow, type Incarnation, isLive } from './node-store.ts';

/** A shard under one owner. */
export interface Ownership {
  readonly shardId: number;
  readonly term: number;
}

/** Takes a shard unless another node has it. Undefined: it has, or the lease of this one is over. */
export async function takeShard(
  sql: Sql,
  node: Incarnation,
  shardId: number,
): Promise<number | undefined> {
  if (!(await isLive(sql, node))) return undefined;
  const { serverId } = node;
  const owner = (await listShards(sql)).find(({ id }) => id === shardId);
  // It was removed meanwhile.
  if (!owner) return undefined;
  const isHeld = await sql.get(
    'select 1 as found from nodes where server_id = $1 and server_id <> $2 and lease_until > $3',
    owner.serverId,
    serverId,
    await databaseNow(sql),
  );
  if (isHeld) return undefined;
  const term = owner.term + 1;
  await setShardOwner(sql, shardId, serverId, term);
  // Earlier versions look for the owner by its term.
  if (shardId === defaultShard)
    await sql.run('update nodes set term = $2 where server_id = $1', serverId, term);
  return term;
}

/**
 * Names the next owner, which takes the shard as soon as it sees that; while it is alive, no other node does. `to` empty: the first one to come.
 * False: this node did not have the shard under that term, or the next owner has ended.
 */
export async function handOver(
  sql: Sql,
  { serverId }: Incarnation,
  { shardId, term }: Ownership,
  to: string,
): Promise<boolean> {
  const changed = await sql.run(
    `update git_shards set server_id = $4 where id = $1 and server_id = $2 and term = $3
      and ($4 = '' or exists (select 1 from nodes where server_id = $4 and lease_until > $5))`,
    shardId,
    serverId,
    term,
    to,
    await databaseNow(sql),
  );
  return changed > 0;
}

export async function setShardOwner(
  sql: Sql,
  shardId: number,
  serverId: string,
  term: number,
): Promise<void> {
  await sql.run(
    `insert into git_shards (id, server_id, term) values ($1, $2, $3)
      on conflict (id) do update set server_id = $2, term = $3`,
    shardId,
    serverId,
    term,
  );
}

/**
 * The shard of a repository and its term, if the node is alive: what it declares of the repository's refs is of that term. No other node can take
 * the shard until the transaction ends, so that the next owner sees the intent.
 */
export async function termForRefs(
  sql: Sql,
  { serverId, incarnation }: Incarnation,
  repositoryId: number,
): Promise<Ownership | undefined> {
  const row = await sql.get<{ id: number; term: number }>(
    `select s.id, s.term from nodes o, repositories r
      join networks n on n.id = r.network_id join git_shards s on s.id = n.shard_id
      where r.id = $1 and o.server_id = $2 and o.incarnation = $3
        and o.lease_until > cast(extract(epoch from clock_timestamp()) * 1000 as bigint)
      for share of s`,
    repositoryId,
    serverId,
    incarnation,
  );
  return row && { shardId: row.id, term: row.term };
}
