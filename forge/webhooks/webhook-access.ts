import type { Sql } from '#platform/database/database.ts';

import { notFound } from '../errors/api-error.ts';
import type { RepositoryPolicy } from '../repositories/repository-access.ts';
import { findDelivery } from './delivery-store.ts';
import type { DeliveryDetails } from './delivery.ts';
import { findWebhook } from './webhook-store.ts';
import type { Webhook } from './webhook.ts';

/**
 * Webhooks require the admin permission, and a token needs a scope even to read those of a public repository, which
 * `changes` enforces. Other callers get 404.
 */
const mayAdministerWebhooks = { permission: 'admin', changes: true } as const;

export const maySeeWebhooks: RepositoryPolicy = {
  ...mayAdministerWebhooks,
  evenArchived: true,
  scopes: ['read:repo_hook'],
};

export const mayChangeWebhooks: RepositoryPolicy = {
  ...mayAdministerWebhooks,
  scopes: ['write:repo_hook'],
};

export const mayDeleteWebhooks: RepositoryPolicy = {
  ...mayAdministerWebhooks,
  evenArchived: true,
  scopes: ['admin:repo_hook'],
};

/** `X-Accepted-OAuth-Scopes` of operations that write. */
export const acceptedToChange = 'admin:repo_hook, public_repo, repo, write:repo_hook';

export const acceptedToSee = 'admin:repo_hook, public_repo, read:repo_hook, repo, write:repo_hook';

/** The webhook of the path, or 404. */
export async function getWebhook(
  sql: Sql,
  repositoryId: number,
  webhookId: number,
): Promise<Webhook> {
  return (await findWebhook(sql, repositoryId, webhookId)) ?? notFound();
}

export async function getDelivery(
  sql: Sql,
  repositoryId: number,
  path: { readonly hook_id: number; readonly delivery_id: number },
): Promise<DeliveryDetails> {
  const webhook = await getWebhook(sql, repositoryId, path.hook_id);
  return (await findDelivery(sql, webhook.id, path.delivery_id)) ?? notFound();
}
