import type { Sql } from '#platform/database/database.ts';

/**
 * Rows that servers claim by moving `due_at` out of each other's sight. Statements that write what came of a claim compare
 * `claims`, which each claim raises: a fencing token. What a server has claimed is due again when it starts, or, should it
 * stay away, when its lease has run out.
 */
type ClaimedTable = 'function_events' | 'function_messages' | 'durable_executions';

/** How long a claim lasts unless it is renewed: so soon others take over from a server that died. */
export const leaseMilliseconds = 60_000;

/**
 * Nothing is put off for so long (pauses take five minutes at most, leases one): what is due later was stored before the clock was set
 * back, and is due now. Otherwise it would wait until the clock has caught up.
 */
export const dueAheadMilliseconds = 10 * 60_000;

export interface Claim {
  readonly id: number;
  readonly claims: number;
}

/** Extends the claims that the server has on these rows; those that it has lost are left alone. */
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

/** Makes a row due that the server has claimed and does not work on. */
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

/** Makes everything due that the server had claimed when it died. */
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
