import type { Sql } from '#platform/database/database.ts';

/** How long a server that says nothing keeps the repositories. */
export const leaseMilliseconds = 10_000;

/** All repositories of the installation. */
const shard = 0;

export interface Node {
  readonly serverId: string;
  /** For people. */
  readonly name: string;
}

export type Taken =
  | {
      readonly kind: 'taken';
      readonly term: number;
      /** The server that had them. */ readonly from?: string;
    }
  | {
      readonly kind: 'held';
      readonly name: string;
      readonly until: number;
      readonly remainingMilliseconds: number;
    };

/**
 * Takes the repositories, and what the server that had them had claimed, unless that is another with a valid lease. One with the same
 * identity has ended: the lock of the data directory says so.
 */
export async function takeLease(sql: Sql, { serverId, name }: Node): Promise<Taken> {
  const now = await databaseNow(sql);
  const owner = await sql.get<{
    server_id: string;
    term: number;
    name: string | null;
    lease_until: number | null;
  }>(
    `select s.server_id, s.term, n.name, n.lease_until
      from git_shards s left join nodes n on n.server_id = s.server_id and n.term = s.term where s.id = $1`,
    shard,
  );
  const until = owner?.lease_until ?? 0;
  if (owner && owner.server_id !== serverId && until > now) {
    return {
      kind: 'held',
      name: owner.name ?? owner.server_id,
      until,
      remainingMilliseconds: until - now,
    };
  }
  const term = (owner?.term ?? 0) + 1;
  await sql.run(
    `insert into git_shards (id, server_id, term) values ($1, $2, $3)
      on conflict (id) do update set server_id = $2, term = $3`,
    shard,
    serverId,
    term,
  );
  await sql.run(
    `insert into nodes (server_id, name, term, lease_until) values ($1, $2, $3, $4)
      on conflict (server_id) do update set name = $2, term = $3, lease_until = $4`,
    serverId,
    name,
    term,
    now + leaseMilliseconds,
  );
  if (!owner || owner.server_id === serverId) return { kind: 'taken', term };
  await takeOverClaims(sql, owner.server_id, serverId);
  return { kind: 'taken', term, from: owner.server_id };
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
    shard,
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

/** As if this server had claimed them before it started: its start makes all of them due at once. */
async function takeOverClaims(sql: Sql, from: string, to: string): Promise<void> {
  for (const table of claimedTables) {
    await sql.run(`update ${table} set claimed_by = $2 where claimed_by = $1`, from, to);
  }
}

/** Every table with claims of servers; a test compares them with the schema. */
export const claimedTables = [
  'webhook_deliveries',
  'function_events',
  'function_messages',
  'durable_executions',
  'function_push_deployments',
];

async function databaseNow(sql: Sql): Promise<number> {
  const row = await sql.get<{ now: number }>(
    'select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now',
  );
  if (!row) throw new Error('The database did not return its time.');
  return row.now;
}
