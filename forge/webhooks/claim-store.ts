import type { Sql } from '#platform/database.ts';

import type { Delivery } from './delivery.ts';

/** Longer than an attempt takes: what a server claimed and did not finish is due again after it. */
const leaseMilliseconds = 60_000;

/**
 * Takes a due delivery on for this server by moving its due time out of the others' sight. False when it is no longer
 * due at the time it was seen with: another server was faster. No lock outlives a crash: the lease runs out.
 */
export async function claimDelivery(sql: Sql, delivery: Delivery, now: number): Promise<boolean> {
  const claimed = await sql.run(
    `update webhook_deliveries set due_at = $3 where id = $1 and due_at = $2`,
    delivery.id,
    delivery.dueAt,
    now + leaseMilliseconds,
  );
  return claimed > 0;
}

/** Gives up a claim, for whoever looks next. */
export async function releaseDelivery(sql: Sql, delivery: Delivery): Promise<void> {
  await sql.run(
    `update webhook_deliveries set due_at = $2 where id = $1 and due_at is not null and attempts = $3`,
    delivery.id,
    delivery.dueAt,
    delivery.attempts,
  );
}
