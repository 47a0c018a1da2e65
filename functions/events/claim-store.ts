import type { Sql } from '#platform/database/database.ts';

/**
 * Rows that servers claim by moving `due_at` into the future. Statements that write the outcome of a claim compare `claims`, which
 * each claim increments: a fencing token. A claimed row is due again when its server restarts, or when its lease has expired.
 */
type ClaimedTable = 'function_events' | 'function_messages' | 'durable_executions';

/** How long a claim lasts unless it is renewed; after that, other servers take over from one that died. */
export const leaseMilliseconds = 60_000;

/**
 * Nothing is scheduled so far ahead (retries at most five minutes, leases one): a row due later was stored before the clock was set
 * back, and counts as due now. Otherwise it would wait until the clock has caught up.
 */
export const dueAheadMilliseconds = 10 * 60_000;

export interface Claim {
  readonly id: number;
  readonly claims: number;
}

/** Extends the claims that the server has on these rows, except those that it has lost. */
export async function renewClaims(
  sql: Sql,
  table: ClaimedTable,
  serverId: string,
  ids: readonly number[],
  now: number,
): Promise<void> {
  for (const id of ids) {
    await sql.run(
      `update ${table} set due_at = $3 where id = $1 and claimed_by = $2`,
      id,
      serverId,
      now + leaseMilliseconds,
    );
  }
}

/** Makes a row due again that the server has claimed but does not process. */
export async function releaseClaim(
  sql: Sql,
  table: Exclude<ClaimedTable, 'durable_executions'>,
  serverId: string,
  id: number,
  now: number,
): Promise<void> {
  await sql.run(
    `update ${table} set due_at = $3, claimed_by = null where id = $1 and claimed_by = $2`,
    id,
    serverId,
    now,
  );
}

/** Makes all rows due again that the server had claimed when it died. */
export async function releaseClaims(
  sql: Sql,
  table: Exclude<ClaimedTable, 'durable_executions'>,
  serverId: string,
  now: number,
): Promise<void> {
  await sql.run(
    `update ${table} set due_at = $2, claimed_by = null where claimed_by = $1`,
    serverId,
    now,
  );
}
