import type { Sql } from '#platform/database/database.ts';

import type { Webhook, WebhookInput, WebhookTarget } from './webhook.ts';

interface WebhookRow {
  id: number;
  repository_id: number | null;
  app_id: number | null;
  url: string;
  content_type: 'json' | 'form';
  secret: string | null;
  insecure_ssl: number;
  active: number;
  events: string;
  last_code: number | null;
  last_status: string | null;
  created_at: number;
  updated_at: number;
}

const columns = `id, repository_id, app_id, url, content_type, secret, insecure_ssl, active, events, last_code, last_status,
  created_at, updated_at`;

export async function insertWebhook(
  sql: Sql,
  repositoryId: number,
  input: WebhookInput,
  now: number,
): Promise<Webhook> {
  const row = await sql.get<WebhookRow>(
    `insert into webhooks
       (repository_id, url, content_type, secret, insecure_ssl, active, events, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8) returning ${columns}`,
    repositoryId,
    input.url,
    input.contentType,
    input.secret,
    Number(input.insecureSsl),
    Number(input.active),
    JSON.stringify(input.events),
    now,
  );
  if (!row) throw new Error('insert into webhooks returned no row');
  const webhook = webhookFromRow(row);
  await subscribe(sql, repositoryId, webhook);
  return webhook;
}

/** Only of a webhook of this repository. */
export async function updateWebhook(
  sql: Sql,
  repositoryId: number,
  webhook: Webhook,
  input: WebhookInput,
  now: number,
): Promise<Webhook> {
  await sql.run(
    `update webhooks set url = $2, content_type = $3, secret = $4, insecure_ssl = $5, active = $6, events = $7,
       updated_at = $8 where id = $1`,
    webhook.id,
    input.url,
    input.contentType,
    input.secret,
    Number(input.insecureSsl),
    Number(input.active),
    JSON.stringify(input.events),
    now,
  );
  const changed = { ...webhook, ...input, updatedAt: now };
  await subscribe(sql, repositoryId, changed);
  return changed;
}

export async function deleteWebhook(sql: Sql, repositoryId: number, id: number): Promise<boolean> {
  const deleted = await sql.run(
    `delete from webhooks where repository_id = $1 and id = $2`,
    repositoryId,
    id,
  );
  return deleted > 0;
}

export async function findWebhook(
  sql: Sql,
  repositoryId: number,
  id: number,
): Promise<Webhook | undefined> {
  const row = await sql.get<WebhookRow>(
    `select ${columns} from webhooks where repository_id = $1 and id = $2`,
    repositoryId,
    id,
  );
  return row && webhookFromRow(row);
}

/** All webhooks of a repository, at most `webhooksMax`. */
export async function webhooksOf(sql: Sql, repositoryId: number): Promise<Webhook[]> {
  const rows = await sql.all<WebhookRow>(
    `select ${columns} from webhooks where repository_id = $1 order by id`,
    repositoryId,
  );
  return rows.map(webhookFromRow);
}

export async function webhooksById(
  sql: Sql,
  ids: readonly number[],
): Promise<Map<number, Webhook>> {
  const found = new Map<number, Webhook>();
  for (const id of new Set(ids)) {
    const row = await sql.get<WebhookRow>(`select ${columns} from webhooks where id = $1`, id);
    if (row) found.set(id, webhookFromRow(row));
  }
  return found;
}

async function subscribe(sql: Sql, repositoryId: number, webhook: Webhook): Promise<void> {
  await sql.run(`delete from webhook_subscriptions where webhook_id = $1`, webhook.id);
  if (!webhook.active) return;
  for (const event of new Set(webhook.events)) {
    await sql.run(
      `insert into webhook_subscriptions (repository_id, event, webhook_id) values ($1, $2, $3)`,
      repositoryId,
      event,
      webhook.id,
    );
  }
}

function webhookFromRow(row: WebhookRow): Webhook {
  return {
    id: row.id,
    target: targetFromRow(row),
    url: row.url,
    contentType: row.content_type,
    secret: row.secret,
    insecureSsl: row.insecure_ssl === 1,
    active: row.active === 1,
    events: eventsFromJson(row.events),
    last: row.last_status === null ? undefined : { code: row.last_code, status: row.last_status },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function targetFromRow({
  id,
  repository_id: repositoryId,
  app_id: appId,
}: WebhookRow): WebhookTarget {
  if (repositoryId !== null) return { kind: 'repository', repositoryId };
  if (appId !== null) return { kind: 'app', appId };
  throw new Error(`webhook ${id} has no target`);
}

function eventsFromJson(json: string): string[] {
  const events: unknown = JSON.parse(json);
  return Array.isArray(events) ? events.filter((event) => typeof event === 'string') : [];
}
