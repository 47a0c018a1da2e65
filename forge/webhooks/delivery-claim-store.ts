import type { Sql } from '#platform/database/database.ts';

import type { Delivery } from './delivery.ts';

/** Longer than an attempt takes; an unfinished delivery is due again after it. */
const leaseMilliseconds = 60_000;

/** The right to record the result of a delivery. It ends when another server claims the delivery. */
export interface DeliveryClaim {
  readonly id: number;
  /** How often the delivery was claimed: a fencing token, because every later claim has a greater one. */
  readonly claims: number;
  /** The content of earlier attempts, if there were any. */
  readonly content: DeliveryContent | undefined;
}

/** The content of a delivery, the same in every attempt. */
export interface DeliveryContent {
  readonly guid: string;
  /** JSON. */
  readonly payload: string;
}

/**
 * Claims a due delivery for this server by postponing its due time. undefined if its due time has changed since it was read,
 * because another server was faster. A claim does not outlive a crash for long, because the lease expires.
 */
export async function claimDelivery(
  sql: Sql,
  { id, dueAt }: Delivery,
  now: number,
): Promise<DeliveryClaim | undefined> {
  const row = await sql.get<{ claims: number; guid: string | null; payload: string | null }>(
    `update webhook_deliveries set due_at = $3, claims = claims + 1 where id = $1 and due_at = $2
     returning claims, guid, payload`,
    id,
    dueAt,
    now + leaseMilliseconds,
  );
  if (!row) return undefined;
  const { claims, guid, payload } = row;
  const content = guid === null || payload === null ? undefined : { guid, payload };
  return { id, claims, content };
}

/** Whether the claim is still valid; no other server can claim the delivery until the transaction ends. */
export async function holdsClaim(sql: Sql, { id, claims }: DeliveryClaim): Promise<boolean> {
  const held = await sql.run(
    `update webhook_deliveries set claims = claims where id = $1 and claims = $2`,
    id,
    claims,
  );
  return held > 0;
}

/** Releases a claim, so that any server can claim the delivery. */
export async function releaseDelivery(
  sql: Sql,
  { id, claims }: DeliveryClaim,
  dueAt: number | null,
): Promise<void> {
  await sql.run(
    `update webhook_deliveries set due_at = $3 where id = $1 and claims = $2 and due_at is not null`,
    id,
    claims,
    dueAt,
  );
}
