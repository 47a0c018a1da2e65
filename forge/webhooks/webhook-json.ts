import { type Json, timestamp } from '../json/json-values.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { App } from '../model/app.ts';
import type { Urls } from '../json/urls.ts';
import type { Webhook } from './webhook.ts';

/** Replaces a secret in responses. */
export const hiddenSecret = '********';

export function representWebhook(
  webhook: Webhook,
  repository: Repository,
  urls: Urls,
): { [field: string]: Json } {
  const url = urls.webhook(fullName(repository), webhook.id);
  const { last } = webhook;
  return {
    type: 'Repository',
    id: webhook.id,
    name: 'web',
    active: webhook.active,
    events: webhook.events,
    config: representWebhookConfig(webhook),
    updated_at: timestamp(webhook.updatedAt),
    created_at: timestamp(webhook.createdAt),
    url,
    test_url: `${url}/tests`,
    ping_url: `${url}/pings`,
    deliveries_url: `${url}/deliveries`,
    last_response: last
      ? { code: last.code, status: last.code === 0 ? 'unused' : 'active', message: last.status }
      : { code: null, status: 'unused', message: null },
  };
}

/** As the ping of an App shows it. */
export function representAppWebhook(
  webhook: Webhook,
  app: App,
  urls: Urls,
): { [field: string]: Json } {
  return {
    type: 'App',
    id: webhook.id,
    name: 'web',
    active: webhook.active,
    events: app.events,
    config: representWebhookConfig(webhook),
    updated_at: timestamp(webhook.updatedAt),
    created_at: timestamp(webhook.createdAt),
    app_id: app.id,
    deliveries_url: urls.api('/app/hook/deliveries'),
  };
}

/** The `config` of a webhook. */
export function representWebhookConfig(webhook: Webhook): { [field: string]: Json } {
  return {
    content_type: webhook.contentType,
    ...(webhook.secret === null ? {} : { secret: hiddenSecret }),
    url: webhook.url,
    insecure_ssl: webhook.insecureSsl ? '1' : '0',
  };
}
