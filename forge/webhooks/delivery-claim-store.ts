import type { Sql } from '#platform/database/database.ts';

import type { Delivery } from './delivery.ts';

/** Longer than an attempt takes: what a server claimed and did not finish is due again after it. */
const leaseMilliseconds = 60_000;

/** The right to write what becomes of a delivery. It ends when another server claims the delivery. */
export interface DeliveryClaim {
  readonly id: number;
  /** How often the delivery was claimed: a fencing token, which no later claim has. */
  readonly claims: number;
  /** What earlier attempts sent, if there were any. */
  readonly content: DeliveryContent | undefined;
}

/** What is sent, the same at every attempt. */
export interface DeliveryContent {
  readonly guid: string;
  /** JSON. */
  readonly payload: string;
}

/**
 * Claims a due delivery for this server by moving its due time out of the others' sight. Undefined when it is no longer
 * due at the time it was seen with: another server was faster. No lock outlives a crash: the lease runs out.
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

/** Whether the claim still holds; until the end of the transaction nobody else can take it. */
export async function holdsClaim(sql: Sql, { id, claims }: DeliveryClaim): Promise<boolean> {
  const held = await sql.run(
    `update webhook_deliveries set claims = claims where id = $1 and claims = $2`,
    id,
    claims,
  );
  return held > 0;
}

/** Gives up a claim, for whoever looks next. */
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
