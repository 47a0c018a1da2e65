import type { Database, Sql } from '#platform/database/database.ts';
import { skipLocked } from '#platform/database/row-locks.ts';

import { placeholders } from '../accounts/account-store.ts';
import { uncount } from './delivery-outcome-store.ts';
import { deliveryFromRow, type DueRow, dueColumns } from './delivery-store.ts';
import { type ClaimedDelivery, dueAheadMilliseconds, pauseAfterInterruption } from './delivery.ts';

/** Longer than an attempt takes; what takes longer to prepare is renewed. An unfinished delivery is due again after it. */
const leaseMilliseconds = 60_000;

type Claim = Pick<ClaimedDelivery, 'id' | 'claims'>;

/** The content of a delivery, the same in every attempt. */
export interface DeliveryContent {
  readonly guid: string;
  /** JSON. */
  readonly payload: string;
}

/** How many deliveries are attempted at once: to one webhook by all servers together, and how many more by this one. */
export interface ClaimLimits {
  readonly toOne: number;
  readonly inAll: number;
}

const isDue = '(due_at <= $1 or due_at > $2)';
/** Some server attempts it, or will within its lease. */
const isClaimed = '(claimed_by is not null and due_at > $1 and due_at <= $2)';

/** A condition that leaves out deliveries, and its parameters: always as many, since each connection keeps every text that it prepares. */
function exceptFor(ids: readonly number[], first: number): { text: string; values: number[] } {
  const count = Math.ceil(ids.length / 32) * 32;
  const values = Array.from({ length: count }, (_, index) => ids[index] ?? 0);
  return { text: count === 0 ? '' : `and id not in (${placeholders(count, first)})`, values };
}

/**
 * Due deliveries whose webhook has room for them. Those under way come first in the queue of a webhook, and take its room; so do those
 * that this server attempts (not `unheld`), also if their leases have expired: another claim would discard their outcomes.
 */
const claimable = (ofWebhooks: string, unheld: string): string => `
  select id, webhook_id, due_at from (
    select id, webhook_id, due_at, claimed_by,
      row_number() over (partition by webhook_id order by case when ${isDue} ${unheld} then 1 else 0 end, due_at, id) as queue_position
    from webhook_deliveries where due_at is not null and (${isDue} or ${isClaimed}) ${ofWebhooks}
  ) q where queue_position <= $3 and ${isDue} ${unheld}`;

/** Who claims: `held` are the deliveries that it attempts. */
export interface Claimant {
  readonly serverId: string;
  readonly now: number;
  readonly most: ClaimLimits;
  readonly held: readonly number[];
}

/** The webhooks that have room for due deliveries, longest due first. */
export async function webhooksWithRoom(
  sql: Sql,
  { now, most, held }: Omit<Claimant, 'serverId'>,
): Promise<number[]> {
  const unheld = exceptFor(held, 5);
  const rows = await sql.all<{ webhook_id: number }>(
    `select webhook_id from (${claimable('', unheld.text)}) c
     group by webhook_id order by min(due_at), min(id) limit $4`,
    now,
    now + dueAheadMilliseconds,
    most.toOne,
    most.inAll,
    ...unheld.values,
  );
  return rows.map((row) => row.webhook_id);
}

/**
 * Claims due deliveries to these webhooks for this server by postponing their due time, longest due first. Who claims has the rows of
 * the webhooks locked and then counts what is under way to each, which is exact under `read committed`; webhooks whose rows another
 * server has locked are left out, since that one claims them. A claim does not outlive a crash for long, because the lease expires.
 */
export async function claimDeliveries(
  sql: Sql,
  engine: Database['engine'],
  webhookIds: readonly number[],
  { serverId, now, most, held }: Claimant,
): Promise<ClaimedDelivery[]> {
  const locked = await sql.all<{ id: number }>(
    `select id from webhooks where id in (${placeholders(webhookIds.length)}) ${skipLocked(engine)}`,
    ...webhookIds,
  );
  if (locked.length === 0) return [];
  const unheld = exceptFor(held, 7);
  const ofLocked = `and webhook_id in (${placeholders(locked.length, 7 + unheld.values.length)})`;
  // Materialized: PostgreSQL may run another subquery more than once. A row that was changed since it was found is compared again.
  const rows = await sql.all<DueRow & { claims: number; bytes: number }>(
    `with found as materialized (
       select id from webhook_deliveries
       where id in (select id from (${claimable(ofLocked, unheld.text)} order by due_at, id limit $4) c) and due_at is not null and ${isDue}
       ${skipLocked(engine)}
     )
     update webhook_deliveries set due_at = $5, claimed_by = $6, claims = claims + 1
     where id in (select id from found) returning ${dueColumns}, claims, bytes`,
    now,
    now + dueAheadMilliseconds,
    most.toOne,
    most.inAll,
    now + leaseMilliseconds,
    serverId,
    ...unheld.values,
    ...locked.map(({ id }) => id),
  );
  return rows
    .toSorted((one, other) => one.id - other.id)
    .map((row) => ({ ...deliveryFromRow(row), claims: row.claims, bytes: row.bytes }));
}

/**
 * Counts an attempt before it is made: one that ends the server must not be made at each start. The first one stores its content, so that
 * every other sends the same. False if the claim was lost: nothing may be sent then.
 */
export async function countAttempt(
  sql: Sql,
  { id, claims }: Claim,
  now: number,
  content?: DeliveryContent,
): Promise<boolean> {
  const counted = await sql.run(
    `update webhook_deliveries set due_at = $3, attempts = attempts + 1, guid = coalesce($4, guid), payload = coalesce($5, payload)
     where id = $1 and claims = $2`,
    id,
    claims,
    now + leaseMilliseconds,
    content?.guid ?? null,
    content?.payload ?? null,
  );
  return counted > 0;
}

/**
 * Extends the claims that the server has on deliveries, except those that it has lost. What is being written is left out: a writer of
 * several would wait for this one, and this one for it.
 */
export async function renewDeliveries(
  sql: Sql,
  engine: Database['engine'],
  { serverId, ids, now }: { serverId: string; ids: readonly number[]; now: number },
): Promise<void> {
  await sql.run(
    `with held as materialized (
       select id from webhook_deliveries
       where claimed_by = $1 and due_at is not null and id in (${placeholders(ids.length, 3)}) ${skipLocked(engine)}
     )
     update webhook_deliveries set due_at = $2 where id in (select id from held)`,
    serverId,
    now + leaseMilliseconds,
    ...ids,
  );
}

/** Postpones a delivery whose content cannot be determined now, unless the claim was lost. */
export async function postponeDelivery(
  sql: Sql,
  { id, claims }: Claim,
  now: number,
): Promise<void> {
  await sql.run(
    `update webhook_deliveries set due_at = $3, claimed_by = null where id = $1 and claims = $2`,
    id,
    claims,
    now + leaseMilliseconds,
  );
}

/** Removes a delivery that can no longer be sent. False if the claim was lost. */
export async function dropDelivery(sql: Sql, { id, claims }: Claim): Promise<boolean> {
  const dropped = await sql.get<{ webhook_id: number; bytes: number }>(
    `delete from webhook_deliveries where id = $1 and claims = $2 returning webhook_id, bytes`,
    id,
    claims,
  );
  if (!dropped) return false;
  await uncount(sql, dropped.webhook_id, [dropped]);
  return true;
}

/** Whether the claim is still valid; no other server can claim the delivery until the transaction ends. */
export async function holdsClaim(sql: Sql, { id, claims }: Claim): Promise<boolean> {
  const held = await sql.run(
    `update webhook_deliveries set claims = claims where id = $1 and claims = $2`,
    id,
    claims,
  );
  return held > 0;
}

/** Releases the claim of an attempt that was not made or does not count, so that any server can claim the delivery. */
export async function releaseDelivery(
  sql: Sql,
  { id, claims, attempts }: ClaimedDelivery,
  now: number,
): Promise<void> {
  await sql.run(
    `update webhook_deliveries set due_at = $3, claimed_by = null, attempts = $4
     where id = $1 and claims = $2 and due_at is not null`,
    id,
    claims,
    now,
    attempts,
  );
}

/**
 * Makes a delivery due again, after a pause, whose attempt a failure of the database has interrupted, unless the claim was lost or what
 * ends it was written nevertheless. The attempt counts if it was sent: it may have reached the receiver.
 */
export async function releaseInterrupted(
  sql: Sql,
  delivery: ClaimedDelivery,
  isSent: boolean,
  now: number,
): Promise<void> {
  const { id, claims, attempts } = delivery;
  await sql.run(
    `update webhook_deliveries set due_at = $3, claimed_by = null, attempts = $4
     where id = $1 and claims = $2 and claimed_by is not null`,
    id,
    claims,
    now + pauseAfterInterruption(delivery, isSent),
    isSent ? attempts + 1 : attempts,
  );
}

/** Makes all deliveries due that a server had claimed when it died, or without knowing it; `held` are those that it attempts. */
export async function releaseDeliveries(
  sql: Sql,
  serverId: string,
  now: number,
  held: readonly number[] = [],
): Promise<void> {
  const unheld = exceptFor(held, 3);
  await sql.run(
    `update webhook_deliveries set due_at = $2, claimed_by = null
     where claimed_by = $1 and due_at is not null ${unheld.text}`,
    serverId,
    now,
    ...unheld.values,
  );
}
