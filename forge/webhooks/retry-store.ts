import type { Sql } from '#platform/database/database.ts';

import { deliveriesChannel } from '../events/event-outbox-store.ts';
import { deliverAgain } from './delivery-store.ts';

/**
 * Deliveries that a retry, or the end of retries, on the pages for site administrators changes at once: writers wait for
 * milliseconds only.
 */
const actRowsMax = 1000;

const failed = '(status_code is null or status_code < 200 or status_code >= 300)';

/** Has failed and waits for its next attempt, which no server is making: also when the row is written, because a server may have claimed it since it was read. */
const waiting = `due_at is not null and attempts > 0 and claimed_by is null`;

/**
 * Sends a delivery that has failed for good once more, as a new one. False: it has been already, so that sending the form twice
 * delivers once. Undefined: there is no such delivery, or its webhook is not active.
 */
export async function redeliverFailed(
  sql: Sql,
  { webhookId, deliveryId }: { readonly webhookId: number; readonly deliveryId: number },
  now: number,
): Promise<boolean | undefined> {
  // Writing the row lets no second form of the same webhook pass the check below at the same time.
  const active = await sql.run(
    `update webhooks set active = active where id = $1 and active = 1`,
    webhookId,
  );
  if (active === 0) return undefined;
  const found = await sql.get<{ guid: string | null }>(
    `select guid from webhook_deliveries where id = $1 and webhook_id = $2 and due_at is null and ${failed}`,
    deliveryId,
    webhookId,
  );
  if (!found) return undefined;
  const again = await sql.get<{ id: number }>(
    `select id from webhook_deliveries where webhook_id = $1 and guid = $2 and id > $3 limit 1`,
    webhookId,
    found.guid,
    deliveryId,
  );
  if (again) return false;
  await deliverAgain(sql, deliveryId, now);
  return true;
}

/** Makes the next attempts of deliveries that have failed due, and returns how many. */
export async function retryDeliveries(sql: Sql, now: number): Promise<number> {
  const retried = await sql.run(
    `update webhook_deliveries set due_at = $1 where ${waiting} and id in (
       select id from webhook_deliveries where ${waiting} and due_at > $1 order by due_at, id limit $2)`,
    now,
    actRowsMax,
  );
  if (retried > 0) sql.notify(deliveriesChannel);
  return retried;
}

/** Ends deliveries that have failed and would be attempted again, and returns how many. */
export async function giveUpDeliveries(sql: Sql): Promise<number> {
  return sql.run(
    `update webhook_deliveries set due_at = null where ${waiting} and id in (
       select id from webhook_deliveries where ${waiting} order by due_at, id limit $1)`,
    actRowsMax,
  );
}
