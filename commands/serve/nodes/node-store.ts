import type { Sql } from '#platform/database/database.ts';

import type { Node } from './nodes.ts';

/** How long a server that says nothing keeps what it owns. */
export const leaseMilliseconds = 10_000;

/** All repositories of the installation. */
export const shard = 0;

/** One process on a data directory: the next one has another incarnation. */
export interface Incarnation {
  readonly serverId: string;
  readonly incarnation: string;
}

export type NewNode = Node & Incarnation & { readonly version: string };

export interface HeldLease {
  readonly kind: 'held';
  readonly name: string;
  readonly until: number;
  readonly remainingMilliseconds: number;
}

/** Adds a server to the cluster, and replaces its former incarnation, unless a server that is alone has the database. */
export async function joinNodes(
  sql: Sql,
  { serverId, name, address, version, incarnation }: NewNode,
): Promise<{ readonly kind: 'joined' } | HeldLease> {
  const now = await databaseNow(sql);
  const alone = await findOther(sql, serverId, now, 'and address is null');
  if (alone) return alone;
  await sql.run(
    `insert into nodes (server_id, name, address, version, incarnation, serving, term, lease_until)
      values ($1, $2, $3, $4, $5, 0, 0, $6)
      on conflict (server_id) do update
      set name = $2, address = $3, version = $4, incarnation = $5, serving = 0, term = 0, lease_until = $6`,
    serverId,
    name,
    address,
    version,
    incarnation,
    now + leaseMilliseconds,
  );
  return { kind: 'joined' };
}

/** False: the lease had run out, and others may have taken over what the node owned. */
export async function renewNode(
  sql: Sql,
  { serverId, incarnation }: Incarnation,
): Promise<boolean> {
  const now = await databaseNow(sql);
  const renewed = await sql.run(
    'update nodes set lease_until = $3 where server_id = $1 and incarnation = $2 and lease_until > $4',
    serverId,
    incarnation,
    now + leaseMilliseconds,
    now,
  );
  return renewed > 0;
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
  /** Whether it has the repositories, or had them last. */
  readonly owns: boolean;
}

/** At most; a cluster has fewer, and the list has dead ones for a second or two. */
const listedMax = 1000;

/** All nodes of the cluster, in the order of their ids; and who has the repositories. */
export async function readNodes(
  sql: Sql,
): Promise<{ readonly nodes: readonly ListedNode[]; readonly owner: Owner | undefined }> {
  const now = await databaseNow(sql);
  const owner = await findOwner(sql);
  const rows = await sql.all<{
    server_id: string;
    name: string;
    address: string;
    version: string | null;
    serving: number;
    lease_until: number;
  }>(
    `select server_id, name, address, version, serving, lease_until from nodes
      where address is not null order by server_id limit $1`,
    listedMax,
  );
  const nodes = rows.map((row) => ({
    serverId: row.server_id,
    name: row.name,
    address: row.address,
    version: row.version ?? '',
    serving: row.serving === 1,
    remainingMilliseconds: row.lease_until - now,
    owns: owner?.serverId === row.server_id,
  }));
  return { nodes, owner };
}

/** Takes the repositories unless another node has them. Undefined: it has, or the lease of this one is over. */
export async function takeShard(sql: Sql, node: Incarnation): Promise<number | undefined> {
  if (!(await isLive(sql, node))) return undefined;
  const { serverId } = node;
  const owner = await findOwner(sql);
  const now = await databaseNow(sql);
  const isHeld = await sql.get(
    'select 1 as found from nodes where server_id = $1 and server_id <> $2 and lease_until > $3',
    owner?.serverId ?? '',
    serverId,
    now,
  );
  if (isHeld) return undefined;
  const term = (owner?.term ?? 0) + 1;
  await setOwner(sql, serverId, term);
  // Earlier versions look for the owner by its term.
  await sql.run('update nodes set term = $2 where server_id = $1', serverId, term);
  return term;
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

export interface Owner {
  readonly serverId: string;
  readonly term: number;
}

export async function findOwner(sql: Sql): Promise<Owner | undefined> {
  const row = await sql.get<{ server_id: string; term: number }>(
    'select server_id, term from git_shards where id = $1',
    shard,
  );
  return row && { serverId: row.server_id, term: row.term };
}

export async function setOwner(sql: Sql, serverId: string, term: number): Promise<void> {
  await sql.run(
    `insert into git_shards (id, server_id, term) values ($1, $2, $3)
      on conflict (id) do update set server_id = $2, term = $3`,
    shard,
    serverId,
    term,
  );
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

export async function databaseNow(sql: Sql): Promise<number> {
  const row = await sql.get<{ now: number }>(
    'select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now',
  );
  if (!row) throw new Error('The database did not return its time.');
  return row.now;
}
