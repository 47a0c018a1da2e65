import { defaultShard } from '#forge/git/process/sharded-git.ts';
import type { Sql } from '#platform/database/database.ts';

import {
  databaseNow,
  findOther,
  type HeldLease,
  leaseMilliseconds,
  type NewNode,
} from './node-store.ts';
import { listShards } from '../shards/shard-store.ts';
import { setShardOwner } from './shard-owner-store.ts';

export type LeaseResult =
  | {
      readonly kind: 'taken';
      readonly term: number;
      /** The server that had them. */ readonly from?: string;
    }
  | HeldLease;

export type LoneServer = Pick<NewNode, 'serverId' | 'name' | 'codeStore'>;

/**
 * Takes the repositories for a server that is alone, and what the server that had them had claimed, unless another one has a valid
 * lease. One with the same identity has ended: the lock of the data directory says so.
 */
export async function takeLease(
  sql: Sql,
  { serverId, name, codeStore }: LoneServer,
): Promise<LeaseResult> {
  const now = await databaseNow(sql);
  const other = await findOther(sql, serverId, now);
  if (other) return other;
  const shards = await listShards(sql);
  const from = shards.find(({ id }) => id === defaultShard)?.serverId ?? '';
  const term = Math.max(...shards.map((shard) => shard.term)) + 1;
  for (const { id } of shards) await setShardOwner(sql, id, serverId, term);
  await sql.run(
    `insert into nodes (server_id, name, term, lease_until, code_store) values ($1, $2, $3, $4, $5)
      on conflict (server_id) do update
      set name = $2, term = $3, lease_until = $4, address = null, version = null, incarnation = null, serving = 0,
        code_store = $5`,
    serverId,
    name,
    term,
    now + leaseMilliseconds,
    codeStore ?? '',
  );
  if (from === '' || from === serverId) return { kind: 'taken', term };
  await takeOverClaims(sql, from, serverId);
  return { kind: 'taken', term, from };
}

/** False: another server has taken the repositories over. */
export async function renewLease(sql: Sql, serverId: string, term: number): Promise<boolean> {
  const now = await databaseNow(sql);
  const renewed = await sql.run(
    `update nodes set lease_until = $3 where server_id = $1 and term = $2
      and exists (select 1 from git_shards where id = $4 and server_id = $1 and term = $2)`,
    serverId,
    term,
    now + leaseMilliseconds,
    defaultShard,
  );
  return renewed > 0;
}

/** The next server need not wait for the lease to run out. */
export async function releaseLease(sql: Sql, serverId: string, term: number): Promise<void> {
  await sql.run(
    'update nodes set lease_until = 0 where server_id = $1 and term = $2',
    serverId,
    term,
  );
}

/**
 * Whether the shard of the repository is still had under this term. No other server can take it over until the transaction ends, so that the next
 * owner sees the intent. Only PostgreSQL has leases, and this lock.
 */
export async function isCurrentTerm(
  sql: Sql,
  term: number,
  repositoryId: number,
): Promise<boolean> {
  const row = await sql.get(
    `select 1 as found from repositories r join networks n on n.id = r.network_id join git_shards s on s.id = n.shard_id
      where r.id = $2 and s.term = $1 for share of s`,
    term,
    repositoryId,
  );
  return row !== undefined;
}

/** As if this server had claimed them before it started: its start makes all of them due at once. */
async function takeOverClaims(sql: Sql, from: string, to: string): Promise<void> {
  for (const [table, column] of claimColumns) {
    await sql.run(`update ${table} set ${column} = $2 where ${column} = $1`, from, to);
  }
}

/** Every table with claims of servers, and where it has them; a test compares them with the schema. */
export const claimColumns = [
  ['webhook_deliveries', 'claimed_by'],
  ['function_events', 'claimed_by'],
  ['function_messages', 'claimed_by'],
  ['durable_executions', 'claimed_by'],
  ['durable_operations', 'invoked_by'],
  ['function_push_deployments', 'claimed_by'],
] as const;
