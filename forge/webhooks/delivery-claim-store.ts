import type { Database, Sql } from '#platform/database/database.ts';
import { skipLocked } from '#platform/database/row-locks.ts';

import { placeholders } from '../accounts/account-store.ts';
import { uncount } from './delivery-outcome-store.ts';
import {
  type Claimant,
  exceptFor,
  heldOfOwner,
  isDue,
  ownerOfWebhook,
  underWay,
  withinShares,
} from './delivery-share-store.ts';
import { deliveryFromRow, type DueRow, dueColumns } from './delivery-store.ts';
import { type ClaimedDelivery, dueAheadMilliseconds, pauseAfterInterruption } from './delivery.ts';

/**
 * Lease of a server on a delivery: longer than an attempt takes; what takes longer to prepare is renewed. An unfinished
 * delivery is due again after it.
 */
const leaseMilliseconds = 60_000;

type Claim = Pick<ClaimedDelivery, 'id' | 'claims'>;

/** The content of a delivery, the same in every attempt. */
export interface DeliveryContent {
  readonly guid: string;
  /** JSON. */
  readonly payload: string;
}

/**
 * The webhooks that can take due deliveries: in turn by owner, and of each those with the fewest under way first, so that receivers that
 * never answer leave the next free attempt to others; of these, longest due first. Goes from each webhook of which something waits to the
 * next by the index: sorting what is due would take the longer the more there is. The least and the greatest due time are of the index, too:
 * for "is there one before", PostgreSQL, which plans without the values, expects one on the first page and reads the whole table where there is none.
 */
export async function webhooksWithCapacity(
  sql: Sql,
  { now, most, held }: Omit<Claimant, 'serverId'>,
): Promise<number[]> {
  const unheld = exceptFor(held.keys(), 5);
  const ofOwner = heldOfOwner(held, 5 + unheld.values.length);
  const first = (when: string): string => `(
    select due_at from webhook_deliveries
    where webhook_id = w.id and due_at is not null and ${when} ${unheld.text} order by due_at, id limit 1)`;
  const rows = await sql.all<{ id: number }>(
    `with recursive waiting (id) as (
       select min(webhook_id) from webhook_deliveries where due_at is not null and (
         (select min(due_at) from webhook_deliveries where due_at is not null) <= $1
         or (select max(due_at) from webhook_deliveries where due_at is not null) > $2)
       union all
       select (select min(webhook_id) from webhook_deliveries where due_at is not null and webhook_id > w.id)
       from waiting w where w.id is not null
     ), ${underWay(unheld.values, 5)}, found as materialized (
       select w.id, ${ownerOfWebhook} as owner_id, coalesce(u.count, 0) as attempted,
         coalesce(${first('due_at <= $1')}, ${first('due_at > $2')}) as due_at
       from waiting join webhooks w on w.id = waiting.id left join under_way u on u.webhook_id = w.id
     )
     ${withinShares('select * from found where due_at is not null and attempted < $3', 'attempted, due_at, id', ofOwner)}`,
    now,
    now + dueAheadMilliseconds,
    most.toOne,
    most.inAll,
    ...unheld.values,
    ...ofOwner.values,
  );
  return rows.map(({ id }) => id);
}

/**
 * Claims due deliveries to these webhooks for this server by postponing their due time: in turn by owner, of each beginning with the
 * webhooks that have the fewest under way, and longest due first. Who claims has the rows of
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
  const unheld = exceptFor(held.keys(), 7);
  const ofOwner = heldOfOwner(held, 7 + unheld.values.length);
  const firstWebhook = 7 + unheld.values.length + ofOwner.values.length;
  const claimable = locked.map((_, index) => {
    const webhook = `$${firstWebhook + index}`;
    const ownerId = `(select ${ownerOfWebhook} from webhooks w where w.id = ${webhook})`;
    const attempted = `(select coalesce(sum(count), 0) from under_way where webhook_id = ${webhook})`;
    // In two ranges of the index: in one, everything that waits in between would be read.
    const first = (when: string): string => `select id, due_at from (
      select id, due_at from webhook_deliveries
      where webhook_id = ${webhook} and due_at is not null and ${when} ${unheld.text} order by due_at, id limit $3
    ) d`;
    return `select id, due_at, ${ownerId} as owner_id, ${attempted} + row_number() over (order by due_at, id) as turn
      from (${first('due_at <= $1')} union all ${first('due_at > $2')}) e`;
  });
  const candidates = `select * from (${claimable.join(' union all ')}) t where turn <= $3`;
  // Materialized: PostgreSQL may run another subquery more than once. A row that was changed since it was found is compared again.
  const rows = await sql.all<DueRow & { claims: number; bytes: number; owner_id: number }>(
    `with ${underWay(unheld.values, 7)}, found as materialized (
       select id from webhook_deliveries
       where id in (${withinShares(candidates, 'turn, due_at, id', ofOwner)}) and due_at is not null and ${isDue}
       ${skipLocked(engine)}
     )
     update webhook_deliveries set due_at = $5, claimed_by = $6, claims = claims + 1
     where id in (select id from found) returning ${dueColumns}, claims, bytes,
       (select ${ownerOfWebhook} from webhooks w where w.id = webhook_id) as owner_id`,
    now,
    now + dueAheadMilliseconds,
    most.toOne,
    most.inAll,
    now + leaseMilliseconds,
    serverId,
    ...unheld.values,
    ...ofOwner.values,
    ...locked.map(({ id }) => id),
  );
  return rows
    .toSorted((one, other) => one.id - other.id)
    .map((row) => ({
      ...deliveryFromRow(row),
      claims: row.claims,
      bytes: row.bytes,
      ownerId: row.owner_id,
    }));
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
  held: Iterable<number> = [],
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
