import type { Sql } from '#platform/database/database.ts';
import { currentLineage } from '#platform/invocation-lineage.ts';

import {
  type Delivery,
  type DeliveryDetails,
  type DeliverySummary,
  dueAheadMilliseconds,
  nextAttempt,
  type Outcome,
  type OutcomeSummary,
} from './delivery.ts';
import { deliveriesChannel } from '../events/event-outbox-store.ts';

interface DueRow {
  id: number;
  webhook_id: number;
  event: string;
  action: string | null;
  facts: string;
  installation_id: number | null;
  repository_id: number | null;
  guid: string | null;
  payload: string | null;
  lineage: string | null;
  redelivery: number;
  attempts: number;
  due_at: number | null;
}

const dueColumns =
  'id, webhook_id, event, action, facts, installation_id, repository_id, guid, payload, lineage, redelivery, attempts, due_at';

interface SummaryRow {
  id: number;
  event: string;
  action: string | null;
  installation_id: number | null;
  repository_id: number | null;
  guid: string | null;
  redelivery: number;
  delivered_at: number | null;
  duration: number | null;
  status_code: number | null;
  status: string | null;
}

const summaryColumns =
  'id, event, action, installation_id, repository_id, guid, redelivery, delivered_at, duration, status_code, status';

interface DetailsRow extends SummaryRow {
  facts: string;
  payload: string | null;
  request_headers: string | null;
  response_headers: string | null;
  response_body: string | null;
}

const detailsColumns = `${summaryColumns}, facts, payload, request_headers, response_headers, response_body`;

/** Due deliveries, longest due first, with a maximum for each webhook, so that none blocks the others. */
export async function dueDeliveries(
  sql: Sql,
  now: number,
  most: { toOne: number; inAll: number },
): Promise<Delivery[]> {
  const rows = await sql.all<DueRow>(
    `select ${dueColumns} from (
       select ${dueColumns}, row_number() over (partition by webhook_id order by due_at, id) as queue_position
       from webhook_deliveries where due_at is not null and (due_at <= $1 or due_at > $2)
     ) q where queue_position <= $3 order by due_at, id limit $4`,
    now,
    now + dueAheadMilliseconds,
    most.toOne,
    most.inAll,
  );
  return rows.map(deliveryFromRow);
}

/** Only the holder of the delivery's claim may call this. */
export async function recordOutcome(sql: Sql, delivery: Delivery, outcome: Outcome): Promise<void> {
  const attempt = delivery.attempts + 1;
  const before = await sql.get<Counted>(
    `select bytes from webhook_deliveries where id = $1`,
    delivery.id,
  );
  const requestHeaders = JSON.stringify(outcome.requestHeaders);
  const responseHeaders = JSON.stringify(outcome.responseHeaders);
  const texts = [requestHeaders, responseHeaders, outcome.responseBody ?? ''];
  const now = await sql.get<Counted>(
    `update webhook_deliveries set claimed_by = null, attempts = $2, due_at = $3, delivered_at = $4, duration = $5, status_code = $6,
       status = $7, request_headers = $8, response_headers = $9, response_body = $10,
       bytes = octet_length(facts) + coalesce(octet_length(payload), 0) + $11 where id = $1 returning bytes`,
    delivery.id,
    attempt,
    nextAttempt(attempt, outcome),
    outcome.at,
    outcome.milliseconds,
    outcome.code,
    outcome.status,
    requestHeaders,
    responseHeaders,
    outcome.responseBody,
    texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0),
  );
  await sql.run(
    `update webhooks set last_code = $2, last_status = $3, delivery_bytes = delivery_bytes + $4 where id = $1`,
    delivery.webhookId,
    outcome.code,
    outcome.status,
    (now?.bytes ?? 0) - (before?.bytes ?? 0),
  );
}

/** Of what is stored of a delivery. */
interface Counted {
  readonly bytes: number;
}

/** Removes deliveries of a webhook that were finished before the time, and the oldest where all of them take too many bytes. */
export async function forgetDeliveries(
  sql: Sql,
  webhookId: number,
  { before, bytesMax }: { readonly before: number; readonly bytesMax: number },
): Promise<void> {
  const old = await sql.all<Counted>(
    `delete from webhook_deliveries where webhook_id = $1 and due_at is null and created_at < $2 returning bytes`,
    webhookId,
    before,
  );
  const stored = await uncount(sql, webhookId, old);
  if (stored <= bytesMax) return;
  // Each outcome adds one: those of a batch are as many as it takes, if not at once.
  const oldest = await sql.all<Counted>(
    `delete from webhook_deliveries where id in (
       select id from (
         select id, bytes, sum(bytes) over (order by id) as freed from (
           select id, bytes from webhook_deliveries where webhook_id = $1 and due_at is null order by id limit 100
         ) b
       ) f where freed - bytes < $2
     ) returning bytes`,
    webhookId,
    stored - bytesMax,
  );
  await uncount(sql, webhookId, oldest);
}

/** What is stored of the deliveries of a webhook without those that were removed. */
async function uncount(sql: Sql, webhookId: number, removed: readonly Counted[]): Promise<number> {
  const row = await sql.get<{ delivery_bytes: number }>(
    `update webhooks set delivery_bytes = delivery_bytes - $2 where id = $1 returning delivery_bytes`,
    webhookId,
    removed.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  return row?.delivery_bytes ?? 0;
}

/**
 * Removes deliveries of any webhook that were finished before the time, from a batch after an id. Ids ascend with time, so it
 * returns the id to continue after, or undefined if the rest is newer.
 */
export async function removeOldDeliveries(
  sql: Sql,
  { from, before, batch }: { from: number; before: number; batch: number },
): Promise<{ readonly forgotten: number; readonly last: number | undefined }> {
  const rows = await sql.all<{ id: number; created_at: number }>(
    `select id, created_at from webhook_deliveries where id > $1 order by id limit $2`,
    from,
    batch,
  );
  const last = rows.at(-1);
  if (!last) return { forgotten: 0, last: undefined };
  const removed = await sql.all<Counted & { webhook_id: number }>(
    `delete from webhook_deliveries where id > $1 and id <= $2 and due_at is null and created_at < $3 returning webhook_id, bytes`,
    from,
    last.id,
    before,
  );
  const byWebhook = Map.groupBy(removed, (row) => row.webhook_id);
  for (const [webhookId, deliveries] of byWebhook) await uncount(sql, webhookId, deliveries);
  return { forgotten: removed.length, last: last.created_at < before ? last.id : undefined };
}

/** Deliveries that were attempted, the latest first. */
export async function listDeliveries(
  sql: Sql,
  webhookId: number,
  page: { size: number; offset: number },
): Promise<{ deliveries: DeliverySummary[]; hasNext: boolean }> {
  const rows = await sql.all<SummaryRow>(
    `select ${summaryColumns} from webhook_deliveries where webhook_id = $1 and delivered_at is not null
     order by id desc limit $2 offset $3`,
    webhookId,
    page.size + 1,
    page.offset,
  );
  const deliveries = rows.slice(0, page.size).map(summaryFromRow);
  return { deliveries, hasNext: rows.length > page.size };
}

export async function findDelivery(
  sql: Sql,
  webhookId: number,
  id: number,
): Promise<DeliveryDetails | undefined> {
  const row = await sql.get<DetailsRow>(
    `select ${detailsColumns} from webhook_deliveries where webhook_id = $1 and id = $2 and delivered_at is not null`,
    webhookId,
    id,
  );
  return row && detailsFromRow(row);
}

/** Redelivers with the same GUID, as a new delivery, which belongs to the chain of the caller. */
export async function deliverAgain(sql: Sql, id: number, now: number): Promise<void> {
  await sql.run(
    `insert into webhook_deliveries
       (webhook_id, event, action, facts, installation_id, repository_id, guid, payload, redelivery, due_at, created_at,
        lineage)
     select webhook_id, event, action, facts, installation_id, repository_id, guid, payload, 1, cast($2 as bigint), cast($2 as bigint), cast($3 as text)
     from webhook_deliveries where id = $1`,
    id,
    now,
    currentLineage() ?? null,
  );
  sql.notify(deliveriesChannel);
}

function deliveryFromRow(row: DueRow): Delivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    event: row.event,
    action: row.action,
    // Written by emitEvent() only.
    domainEvent: JSON.parse(row.facts),
    installationId: row.installation_id,
    repositoryId: row.repository_id,
    guid: row.guid ?? undefined,
    payload: row.payload ?? undefined,
    lineage: row.lineage ?? undefined,
    redelivery: row.redelivery === 1,
    attempts: row.attempts,
    dueAt: row.due_at,
  };
}

function summaryFromRow(row: SummaryRow): DeliverySummary {
  return {
    id: row.id,
    guid: row.guid ?? undefined,
    event: row.event,
    action: row.action,
    installationId: row.installation_id,
    repositoryId: row.repository_id,
    redelivery: row.redelivery === 1,
    outcome: outcomeFromRow(row),
  };
}

function detailsFromRow(row: DetailsRow): DeliveryDetails {
  const outcome = outcomeFromRow(row);
  return {
    ...summaryFromRow(row),
    domainEvent: JSON.parse(row.facts),
    payload: row.payload ?? undefined,
    outcome: outcome && {
      ...outcome,
      requestHeaders: JSON.parse(row.request_headers ?? '{}'),
      responseHeaders: JSON.parse(row.response_headers ?? '{}'),
      responseBody: row.response_body ?? '',
    },
  };
}

function outcomeFromRow(row: SummaryRow): OutcomeSummary | undefined {
  if (row.delivered_at === null) return undefined;
  return {
    at: row.delivered_at,
    milliseconds: row.duration ?? 0,
    code: row.status_code ?? 0,
    status: row.status ?? '',
  };
}
