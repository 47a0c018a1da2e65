import type { Sql } from '#platform/database/database.ts';

import {
  type AccountRow,
  accountColumns,
  accountFromRow,
  placeholders,
} from '../../accounts/account-store.ts';
import { type App, type AppHook, parseEvents, parsePermissions } from '../../model/app.ts';
import type { AppManifest } from './manifest-input.ts';

interface AppRow {
  app_id: number;
  slug: string;
  app_name: string;
  client_id: string;
  public_key: string;
  description: string | null;
  external_url: string;
  hook_id: number;
  hook_url: string;
  hook_secret: string | null;
  hook_content_type: 'json' | 'form';
  hook_insecure_ssl: number;
  hook_active: number;
  public: number;
  permissions: string;
  events: string;
  app_created_at: number;
  app_updated_at: number;
}

const appColumns = `p.id as app_id, p.slug, p.name as app_name, p.client_id, p.public_key, p.description, p.external_url,
  h.id as hook_id, h.url as hook_url, h.secret as hook_secret, h.content_type as hook_content_type,
  h.insecure_ssl as hook_insecure_ssl, h.active as hook_active, p.public, p.permissions, p.events,
  p.created_at as app_created_at, p.updated_at as app_updated_at`;

const selectApp = `select ${appColumns}, ${accountColumns} from apps p join accounts a on a.id = p.owner_id join webhooks h on h.app_id = p.id`;

export async function appById(sql: Sql, id: number): Promise<App | undefined> {
  const row = await sql.get<AppRow & AccountRow>(`${selectApp} where p.id = $1`, id);
  return row && appFromRow(row);
}

export async function appByClientId(sql: Sql, clientId: string): Promise<App | undefined> {
  const row = await sql.get<AppRow & AccountRow>(`${selectApp} where p.client_id = $1`, clientId);
  return row && appFromRow(row);
}

export async function appBySlug(sql: Sql, slug: string): Promise<App | undefined> {
  const row = await sql.get<AppRow & AccountRow>(`${selectApp} where p.slug = $1`, slug);
  return row && appFromRow(row);
}

/** Apps by id, in one statement. */
export async function appsById(sql: Sql, ids: Iterable<number>): Promise<Map<number, App>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const rows = await sql.all<AppRow & AccountRow>(
    `${selectApp} where p.id in (${placeholders(unique.length)})`,
    ...unique,
  );
  return new Map(rows.map((row) => [row.app_id, appFromRow(row)]));
}

export async function countApps(sql: Sql, ownerId: number): Promise<number> {
  const row = await sql.get<{ apps: number }>(
    `select count(*) as apps from apps where owner_id = $1`,
    ownerId,
  );
  return row?.apps ?? 0;
}

export type NewApp = Omit<App, 'id' | 'owner' | 'hook' | 'createdAt' | 'updatedAt'> & {
  readonly hook: Omit<AppHook, 'id'>;
  readonly ownerId: number;
  readonly botId: number;
  readonly clientSecretSha256: string;
  readonly now: number;
};

/** Fails with a unique violation when the slug is taken. */
export async function insertApp(sql: Sql, app: NewApp): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into apps
       (slug, name, owner_id, bot_id, client_id, client_secret_sha256, public_key, description, external_url, public,
        permissions, events, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13) returning id`,
    app.slug,
    app.name,
    app.ownerId,
    app.botId,
    app.clientId,
    app.clientSecretSha256,
    app.publicKey,
    app.description,
    app.externalUrl,
    app.public ? 1 : 0,
    JSON.stringify(app.permissions),
    JSON.stringify(app.events),
    app.now,
  );
  if (!row) throw new Error('insert into apps returned no row');
  const { hook } = app;
  await sql.run(
    `insert into webhooks (app_id, url, content_type, secret, insecure_ssl, active, events, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, '[]', $7, $7)`,
    row.id,
    hook.url ?? '',
    hook.contentType,
    hook.secret,
    hook.insecureSsl ? 1 : 0,
    hook.active ? 1 : 0,
    app.now,
  );
  return row.id;
}

export async function updateAppHook(sql: Sql, hook: AppHook, now: number): Promise<void> {
  await sql.run(
    `update webhooks set url = $2, secret = $3, content_type = $4, insecure_ssl = $5, updated_at = $6
     where id = $1`,
    hook.id,
    hook.url ?? '',
    hook.secret,
    hook.contentType,
    hook.insecureSsl ? 1 : 0,
    now,
  );
}

export async function replaceAppKey(sql: Sql, appId: number, publicKey: string): Promise<void> {
  await sql.run(`update apps set public_key = $2 where id = $1`, appId, publicKey);
}

/** Also deletes expired codes. */
export async function insertManifestCode(
  sql: Sql,
  code: {
    readonly sha256: string;
    readonly ownerId: number;
    readonly creatorId: number;
    readonly manifest: AppManifest;
    readonly now: number;
    readonly expiresAt: number;
    /** Open codes of the owner, with this one. */
    readonly codesMax: number;
  },
): Promise<void> {
  await sql.run(`delete from app_manifest_codes where expires_at <= $1`, code.now);
  await sql.run(
    `delete from app_manifest_codes where sha256 in (
       select sha256 from app_manifest_codes where owner_id = $1
       order by expires_at desc limit 1000000 offset $2)`,
    code.ownerId,
    code.codesMax - 1,
  );
  await sql.run(
    `insert into app_manifest_codes (sha256, owner_id, creator_id, manifest, expires_at) values ($1, $2, $3, $4, $5)`,
    code.sha256,
    code.ownerId,
    code.creatorId,
    JSON.stringify(code.manifest),
    code.expiresAt,
  );
}

/** What a code stands for, while its creator is the owner, or owns the organization that is. */
export async function findManifestCode(
  sql: Sql,
  sha256: string,
  now: number,
): Promise<{ readonly ownerId: number; readonly manifest: AppManifest } | undefined> {
  const row = await sql.get<{ owner_id: number; manifest: string }>(
    `select c.owner_id, c.manifest from app_manifest_codes c
     where c.sha256 = $1 and c.expires_at > $2 and (c.creator_id = c.owner_id or exists
       (select 1 from organization_members m
        where m.organization_id = c.owner_id and m.user_id = c.creator_id and m.role = 'admin'))`,
    sha256,
    now,
  );
  if (!row) return undefined;
  // As insertManifestCode() wrote it.
  const manifest: AppManifest = JSON.parse(row.manifest);
  return { ownerId: row.owner_id, manifest };
}

/** false if there is no such code: only one of two exchanges consumes it. */
export async function consumeManifestCode(sql: Sql, sha256: string): Promise<boolean> {
  const row = await sql.get(
    `delete from app_manifest_codes where sha256 = $1 returning sha256`,
    sha256,
  );
  return row !== undefined;
}

function appFromRow(row: AppRow & AccountRow): App {
  return {
    id: row.app_id,
    slug: row.slug,
    name: row.app_name,
    owner: accountFromRow(row),
    clientId: row.client_id,
    publicKey: row.public_key,
    description: row.description,
    externalUrl: row.external_url,
    hook: {
      id: row.hook_id,
      url: row.hook_url || null,
      secret: row.hook_secret,
      contentType: row.hook_content_type,
      insecureSsl: row.hook_insecure_ssl === 1,
      active: row.hook_active === 1,
    },
    public: row.public === 1,
    permissions: parsePermissions(row.permissions),
    events: parseEvents(row.events),
    createdAt: row.app_created_at,
    updatedAt: row.app_updated_at,
  };
}
