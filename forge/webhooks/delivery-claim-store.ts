import type { Sql } from '#platform/database/database.ts';

import type { Delivery } from './delivery.ts';

/** Longer than an attempt takes; an unfinished delivery is due again after it. */
const leaseMilliseconds = 60_000;

/** The right to record the result of a delivery. It ends when another server claims the delivery. */
export interface DeliveryClaim {
  readonly id: number;
  /** How often the delivery was claimed: a fencing token, because every later claim has a greater one. */
  readonly claims: number;
}

/** The content of a delivery, the same in every attempt. */
export interface DeliveryContent {
  readonly guid: string;
  /** JSON. */
  readonly payload: string;
}

/**
 * Claims a due delivery for this server by postponing its due time, and stores its content unless an earlier attempt did, so that
 * every attempt sends the same. The attempt is counted already: one that ends the server must not be made at each start. undefined if its due time has changed since it was read, because another server was faster. A claim
 * does not outlive a crash for long, because the lease expires.
 */
export async function claimDelivery(
  sql: Sql,
  { id, dueAt }: Delivery,
  { guid, payload }: DeliveryContent,
  serverId: string,
  now: number,
): Promise<DeliveryClaim | undefined> {
  const row = await sql.get<{ claims: number }>(
    `update webhook_deliveries
     set due_at = $3, claims = claims + 1, attempts = attempts + 1, claimed_by = $6, guid = coalesce(guid, $4), payload = coalesce(payload, $5)
     where id = $1 and due_at = $2 returning claims`,
    id,
    dueAt,
    now + leaseMilliseconds,
    guid,
    payload,
    serverId,
  );
  return row && { id, claims: row.claims };
}

/** Postpones a delivery whose content cannot be determined now. */
export async function postponeDelivery(
  sql: Sql,
  { id, dueAt }: Delivery,
  now: number,
): Promise<void> {
  await sql.run(
    `update webhook_deliveries set due_at = $3, claims = claims + 1 where id = $1 and due_at = $2`,
    id,
    dueAt,
    now + leaseMilliseconds,
  );
}

/** Removes a delivery that can no longer be sent, unless another server has claimed it. */
export async function dropDelivery(sql: Sql, { id, dueAt }: Delivery): Promise<void> {
  const dropped = await sql.get<{ webhook_id: number; bytes: number }>(
    `delete from webhook_deliveries where id = $1 and due_at = $2 returning webhook_id, bytes`,
    id,
    dueAt,
  );
  if (!dropped) return;
  await sql.run(
    `update webhooks set delivery_bytes = delivery_bytes - $2 where id = $1`,
    dropped.webhook_id,
    dropped.bytes,
  );
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

/** Releases the claim of an attempt that does not count, so that any server can claim the delivery. */
export async function releaseDelivery(
  sql: Sql,
  { id, claims }: DeliveryClaim,
  dueAt: number | null,
): Promise<void> {
  await sql.run(
    `update webhook_deliveries set due_at = $3, claimed_by = null, attempts = attempts - 1
     where id = $1 and claims = $2 and due_at is not null`,
    id,
    claims,
    dueAt,
  );
}

/**
 * Makes a delivery due again whose attempt or claim a failure of the database has interrupted. The attempt counts: it may have
 * reached the receiver.
 */
export async function releaseInterrupted(
  sql: Sql,
  serverId: string,
  id: number,
  now: number,
): Promise<void> {
  await sql.run(
    `update webhook_deliveries set due_at = $3, claimed_by = null where id = $1 and claimed_by = $2 and due_at is not null`,
    id,
    serverId,
    now,
  );
}

/** Makes all deliveries due that a server had claimed when it died. */
export async function releaseDeliveries(sql: Sql, serverId: string, now: number): Promise<void> {
  await sql.run(
    `update webhook_deliveries set due_at = $2, claimed_by = null where claimed_by = $1 and due_at is not null`,
    serverId,
    now,
  );
}
