import type { Sql } from '#platform/database/database.ts';

import { type ClaimedDelivery, nextAttempt, type DeliveryOutcome } from './delivery.ts';

/** What came of an attempt. */
export interface Attempted {
  readonly delivery: ClaimedDelivery;
  readonly outcome: DeliveryOutcome;
}

/** What is stored of the deliveries of one webhook. */
export interface StoredMost {
  /** Finished deliveries that were created before are forgotten. */
  readonly before: number;
  /** Of finished deliveries, all together. */
  readonly bytes: number;
}

/**
 * Records what came of attempts, and returns those that were recorded: the others have lost their claims. Writes the rows of webhooks
 * last, since other servers wait for them to record theirs, and in the order of their ids, so that two servers do not wait for each other.
 */
export async function recordOutcomes(
  sql: Sql,
  attempts: readonly Attempted[],
  most: StoredMost,
): Promise<Set<ClaimedDelivery>> {
  const recorded = new Set<ClaimedDelivery>();
  const webhooks = new Map<number, { readonly added: number; readonly last: DeliveryOutcome }>();
  for (const attempted of attempts) {
    const { delivery, outcome: last } = attempted;
    const bytes = await recordOutcome(sql, attempted);
    if (bytes === undefined) continue;
    recorded.add(delivery);
    const before = webhooks.get(delivery.webhookId)?.added ?? 0;
    webhooks.set(delivery.webhookId, { added: before + bytes - delivery.bytes, last });
  }
  for (const [webhookId, { added, last }] of [...webhooks].toSorted(
    ([one], [other]) => one - other,
  )) {
    const stored = await sql.get<{ delivery_bytes: number; oldest: number | null }>(
      `update webhooks set last_code = $2, last_status = $3, delivery_bytes = delivery_bytes + $4
       where id = $1 returning delivery_bytes,
         (select created_at from webhook_deliveries where webhook_id = $1 and due_at is null order by id limit 1) as oldest`,
      webhookId,
      last.code,
      last.status,
      added,
    );
    if (!stored) continue;
    const isOld = (stored.oldest ?? most.before) < most.before;
    if (isOld || stored.delivery_bytes > most.bytes)
      await forgetDeliveries(sql, webhookId, stored.delivery_bytes, most);
  }
  return recorded;
}

/** What is now counted of the delivery; undefined if its claim was lost. The attempt was counted before it was sent. */
async function recordOutcome(
  sql: Sql,
  { delivery, outcome }: Attempted,
): Promise<number | undefined> {
  const requestHeaders = JSON.stringify(outcome.requestHeaders);
  const responseHeaders = JSON.stringify(outcome.responseHeaders);
  const texts = [requestHeaders, responseHeaders, outcome.responseBody ?? ''];
  const now = await sql.get<Counted>(
    `update webhook_deliveries set claimed_by = null, due_at = $2, delivered_at = $3, duration = $4, status_code = $5,
       status = $6, request_headers = $7, response_headers = $8, response_body = $9,
       bytes = octet_length(facts) + coalesce(octet_length(payload), 0) + $10 where id = $1 and claims = $11 returning bytes`,
    delivery.id,
    nextAttempt(delivery.attempts + 1, outcome),
    outcome.at,
    outcome.milliseconds,
    outcome.code,
    outcome.status,
    requestHeaders,
    responseHeaders,
    outcome.responseBody,
    texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0),
    delivery.claims,
  );
  return now?.bytes;
}

/** Of what is stored of a delivery. */
export interface Counted {
  readonly bytes: number;
}

/**
 * Removes the oldest finished deliveries of a webhook that are too old, and those that are too much of what is stored. Each outcome adds
 * one: those of a batch are as many as it takes, if not at once.
 */
export async function forgetDeliveries(
  sql: Sql,
  webhookId: number,
  stored: number,
  most: StoredMost,
): Promise<void> {
  const old = await sql.all<Counted>(
    `delete from webhook_deliveries where id in (
       select id from (
         select id, created_at from webhook_deliveries where webhook_id = $1 and due_at is null order by id limit 20
       ) o where created_at < $2
     ) returning bytes`,
    webhookId,
    most.before,
  );
  const left = stored - bytesOf(old);
  await uncount(sql, webhookId, old);
  if (left <= most.bytes) return;
  const oldest = await sql.all<Counted>(
    `delete from webhook_deliveries where id in (
       select id from (
         select id, bytes, sum(bytes) over (order by id) as freed from (
           select id, bytes from webhook_deliveries where webhook_id = $1 and due_at is null order by id limit 100
         ) b
       ) f where freed - bytes < $2
     ) returning bytes`,
    webhookId,
    left - most.bytes,
  );
  await uncount(sql, webhookId, oldest);
}

function bytesOf(removed: readonly Counted[]): number {
  return removed.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Counts what is stored of the deliveries of a webhook without those that were removed. */
export async function uncount(
  sql: Sql,
  webhookId: number,
  removed: readonly Counted[],
): Promise<void> {
  if (removed.length === 0) return;
  await sql.run(
    `update webhooks set delivery_bytes = delivery_bytes - $2 where id = $1`,
    webhookId,
    bytesOf(removed),
  );
}
