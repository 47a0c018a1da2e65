import type { Sql } from '#platform/database/database.ts';
import { currentLineage } from '#platform/invocation-lineage.ts';

import type { Delivery, DeliveryDetails, DeliverySummary, OutcomeSummary } from './delivery.ts';
import { type Counted, uncount } from './delivery-outcome-store.ts';
import { deliveriesChannel } from '../events/event-outbox-store.ts';

/** What an attempt needs of a delivery. */
export interface DueRow {
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
}

export const dueColumns =
  'id, webhook_id, event, action, facts, installation_id, repository_id, guid, payload, lineage, redelivery, attempts';

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

/** Redelivers with the same GUID, as a new delivery, which continues the chain of requests of the caller. */
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

export function deliveryFromRow(row: DueRow): Delivery {
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
