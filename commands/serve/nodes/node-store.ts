import type { Sql } from '#platform/database/database.ts';

import type { ListedShard } from '../shards/shard-store.ts';
import type { Node } from './nodes.ts';

/**
 * Lease of a node on what it owns, and, with PostgreSQL, of a server on its repositories: after that without a renewal, another
 * may take over.
 */
export const leaseMilliseconds = 10_000;

/** One process on a data directory: the next one has another incarnation. */
export interface Incarnation {
  readonly serverId: string;
  readonly incarnation: string;
}

export type NewNode = Node &
  Incarnation & {
    readonly version: string;
    /** The location of HOB_CODE; its row has an empty one without, and null of versions that do not say it. */
    readonly codeStore?: string | undefined;
  };

export interface HeldLease {
  readonly kind: 'held';
  readonly name: string;
  readonly until: number;
  readonly remainingMilliseconds: number;
}

/** Adds a server to the cluster, and replaces its former incarnation, unless a server that is alone has the database. */
export async function joinNodes(
  sql: Sql,
  { serverId, name, address, version, incarnation, codeStore }: NewNode,
): Promise<{ readonly kind: 'joined' } | HeldLease> {
  const now = await databaseNow(sql);
  const alone = await findOther(sql, serverId, now, 'and address is null');
  if (alone) return alone;
  await sql.run(
    `insert into nodes (server_id, name, address, version, incarnation, serving, term, lease_until, code_store)
      values ($1, $2, $3, $4, $5, 0, 0, $6, $7)
      on conflict (server_id) do update
      set name = $2, address = $3, version = $4, incarnation = $5, serving = 0, term = 0, lease_until = $6, shards = null,
        code_store = $7`,
    serverId,
    name,
    address,
    version,
    incarnation,
    now + leaseMilliseconds,
    codeStore ?? '',
  );
  return { kind: 'joined' };
}

/** Not renewed: the lease had run out, and others may have taken over what the node owned. */
export async function renewNode(
  sql: Sql,
  { serverId, incarnation }: Incarnation,
): Promise<{ readonly renewed: boolean; readonly databaseTime: number }> {
  const now = await databaseNow(sql);
  const renewed = await sql.run(
    'update nodes set lease_until = $3 where server_id = $1 and incarnation = $2 and lease_until > $4',
    serverId,
    incarnation,
    now + leaseMilliseconds,
    now,
  );
  return { renewed: renewed > 0, databaseTime: now };
}

export async function setServing(
  sql: Sql,
  { serverId, incarnation }: Incarnation,
  serving: boolean,
): Promise<void> {
  await sql.run(
    'update nodes set serving = $3 where server_id = $1 and incarnation = $2',
    serverId,
    incarnation,
    serving ? 1 : 0,
  );
}

/** The others take over at once. */
export async function leaveNodes(sql: Sql, { serverId, incarnation }: Incarnation): Promise<void> {
  await sql.run(
    'update nodes set lease_until = 0, serving = 0 where server_id = $1 and incarnation = $2',
    serverId,
    incarnation,
  );
}

/** Whether the node may declare changes of refs: no node takes it for dead. */
export async function isLive(sql: Sql, { serverId, incarnation }: Incarnation): Promise<boolean> {
  const row = await sql.get(
    'select 1 as found from nodes where server_id = $1 and incarnation = $2 and lease_until > $3',
    serverId,
    incarnation,
    await databaseNow(sql),
  );
  return row !== undefined;
}

export interface ListedNode extends Node {
  readonly version: string;
  readonly serving: boolean;
  /** Of its lease; not above 0 when that is over. */
  readonly remainingMilliseconds: number;
  /** The shards that it has, or had last. */
  readonly owns: readonly number[];
  /** The shards whose folders it reaches, besides the default one. */
  readonly reaches: readonly number[];
}

/** Nodes of a cluster that are listed; it has fewer, and the list has dead ones for a second or two. */
const listedMax = 1000;

/** All nodes of the cluster, in the order of their ids; and which of the shards each has. */
export async function readNodes(
  sql: Sql,
  shards: readonly ListedShard[],
): Promise<readonly ListedNode[]> {
  const now = await databaseNow(sql);
  const rows = await sql.all<{
    server_id: string;
    name: string;
    address: string;
    version: string | null;
    serving: number;
    lease_until: number;
    shards: string | null;
  }>(
    `select server_id, name, address, version, serving, lease_until, shards from nodes
      where address is not null order by server_id limit $1`,
    listedMax,
  );
  return rows.map((row) => ({
    serverId: row.server_id,
    name: row.name,
    address: row.address,
    version: row.version ?? '',
    serving: row.serving === 1,
    remainingMilliseconds: row.lease_until - now,
    owns: shards.filter(({ serverId }) => serverId === row.server_id).map(({ id }) => id),
    reaches: reachedFrom(row.shards),
  }));
}

/** The others may then hand these shards over to it. */
export async function setReached(
  sql: Sql,
  { serverId, incarnation }: Incarnation,
  shards: readonly number[],
): Promise<void> {
  await sql.run(
    'update nodes set shards = $3 where server_id = $1 and incarnation = $2',
    serverId,
    incarnation,
    JSON.stringify(shards),
  );
}

function reachedFrom(text: string | null): readonly number[] {
  // Only setReached writes this column.
  const shards: readonly number[] = JSON.parse(text ?? '[]');
  return shards;
}

/** Removes a node whose lease is over. False: it has been removed, or has come back. */
export async function removeDeadNode(sql: Sql, serverId: string): Promise<boolean> {
  const removed = await sql.run(
    'delete from nodes where server_id = $1 and address is not null and lease_until <= $2',
    serverId,
    await databaseNow(sql),
  );
  return removed > 0;
}

/** Another server with a valid lease. */
export async function findOther(
  sql: Sql,
  serverId: string,
  now: number,
  condition = '',
): Promise<HeldLease | undefined> {
  const other = await sql.get<{ name: string; lease_until: number }>(
    `select name, lease_until from nodes where server_id <> $1 and lease_until > $2 ${condition}
      order by lease_until desc, server_id limit 1`,
    serverId,
    now,
  );
  return (
    other && {
      kind: 'held',
      name: other.name,
      until: other.lease_until,
      remainingMilliseconds: other.lease_until - now,
    }
  );
}

/** Another server with a valid lease whose archives of code are not in this store. One that does not say where they are uses the store that is claimed. */
export async function findOtherStore(
  sql: Sql,
  serverId: string,
  codeStore: string,
): Promise<{ readonly name: string; readonly codeStore: string | undefined } | undefined> {
  const itsStore =
    "coalesce(code_store, (select location from function_code_stores where id = 1), '')";
  const other = await sql.get<{ name: string; code_store: string }>(
    `select name, ${itsStore} as code_store from nodes
      where server_id <> $1 and lease_until > $2 and ${itsStore} <> $3
      order by lease_until desc, server_id limit 1`,
    serverId,
    await databaseNow(sql),
    codeStore,
  );
  return (
    other && { name: other.name, codeStore: other.code_store === '' ? undefined : other.code_store }
  );
}

export async function databaseNow(sql: Sql): Promise<number> {
  const row = await sql.get<{ now: number }>(
    'select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now',
  );
  if (!row) throw new Error('The database did not return its time.');
  return row.now;
}
