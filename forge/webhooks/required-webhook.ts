import type { Sql } from '#platform/database/database.ts';

import { notFound } from '../errors/api-error.ts';
import { findDelivery } from './delivery-store.ts';
import type { Delivery } from './delivery.ts';
import { findWebhook } from './webhook-store.ts';
import type { Webhook } from './webhook.ts';

/** The webhook a path names, or 404. */
export async function requiredWebhook(
  sql: Sql,
  repositoryId: number,
  webhookId: number,
): Promise<Webhook> {
  return (await findWebhook(sql, repositoryId, webhookId)) ?? notFound();
}

export async function requiredDelivery(
  sql: Sql,
  repositoryId: number,
  path: { readonly hook_id: number; readonly delivery_id: number },
): Promise<Delivery> {
  const webhook = await requiredWebhook(sql, repositoryId, path.hook_id);
  return (await findDelivery(sql, webhook.id, path.delivery_id)) ?? notFound();
}
