import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import { type AccountRow, accountColumns, accountFromRow } from '../../accounts/account-store.ts';
import type { Account } from '../../model/account.ts';
import {
  type AppPermissions,
  commonPermissions,
  type Installation,
  type InstallationGrant,
  type InstallationToken,
  parseEvents,
  parsePermissions,
} from '../../model/app.ts';
import { selectedRepositories } from './installed-repository-store.ts';

interface InstallationRow extends AccountRow {
  installation_id: number;
  app_id: number;
  app_slug: string;
  app_client_id: string;
  repository_selection: 'all' | 'selected';
  permissions: string;
  events: string;
  /** Accounts have a `suspended_at` as well. */
  installation_suspended_at: number | null;
  installed_at: number;
  changed_at: number;
}

const columns = `i.id as installation_id, i.app_id, p.slug as app_slug, p.client_id as app_client_id,
  i.repository_selection, i.permissions, i.events, i.suspended_at as installation_suspended_at, i.created_at as installed_at,
  i.updated_at as changed_at, ${accountColumns}`;

const tables =
  'app_installations i join apps p on p.id = i.app_id join accounts a on a.id = i.account_id';

/** The installations of an App, oldest first. */
export async function listInstallations(
  sql: Sql,
  appId: number,
  page: PageBounds,
): Promise<{ installations: Installation[]; total: number }> {
  const list = {
    columns,
    from: `${tables} where i.app_id = $1`,
    values: [appId],
    order: 'i.id',
  };
  const { rows, total } = await selectPage<InstallationRow>(sql, list, page);
  return { installations: rows.map(installationFromRow), total };
}

/** The installations on a user's own account and on organizations that the user owns, oldest first. */
export async function installationsOfUser(
  sql: Sql,
  userId: number,
  page: PageBounds,
): Promise<{ installations: Installation[]; total: number }> {
  const list = {
    columns,
    from: `${tables} where i.account_id = $1 or i.account_id in
      (select organization_id from organization_members where user_id = $1 and role = 'admin')`,
    values: [userId],
    order: 'i.id',
  };
  const { rows, total } = await selectPage<InstallationRow>(sql, list, page);
  return { installations: rows.map(installationFromRow), total };
}

export async function findInstallation(
  sql: Sql,
  appId: number,
  id: number,
): Promise<Installation | undefined> {
  const row = await sql.get<InstallationRow>(
    `select ${columns} from ${tables} where i.id = $1 and i.app_id = $2`,
    id,
    appId,
  );
  return row && installationFromRow(row);
}

export async function installationOnAccount(
  sql: Sql,
  appId: number,
  accountId: number,
): Promise<Installation | undefined> {
  const row = await sql.get<InstallationRow>(
    `select ${columns} from ${tables} where i.account_id = $1 and i.app_id = $2`,
    accountId,
    appId,
  );
  return row && installationFromRow(row);
}

export async function installationInRepository(
  sql: Sql,
  appId: number,
  owner: string,
  name: string,
): Promise<Installation | undefined> {
  const row = await sql.get<InstallationRow>(
    `select ${columns} from ${tables} join repositories r on r.owner_id = i.account_id
     where i.app_id = $1 and a.login_key = $2 and r.name_key = $3 and r.state = 'ready'
       and (i.repository_selection = 'all' or exists
         (select 1 from app_installation_repositories s where s.installation_id = i.id and s.repository_id = r.id))`,
    appId,
    owner,
    name,
  );
  return row && installationFromRow(row);
}

export interface NewInstallation {
  readonly appId: number;
  readonly accountId: number;
  readonly repositorySelection: 'all' | 'selected';
  readonly repositoryIds: readonly number[];
  readonly permissions: AppPermissions;
  readonly events: readonly string[];
  readonly now: number;
}

/** Installs an App, or replaces what an account has granted it before. */
export async function putInstallation(sql: Sql, granted: NewInstallation): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into app_installations
       (app_id, account_id, repository_selection, permissions, events, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6)
     on conflict (app_id, account_id) do update set repository_selection = excluded.repository_selection,
       permissions = excluded.permissions, events = excluded.events, updated_at = excluded.updated_at
     returning id`,
    granted.appId,
    granted.accountId,
    granted.repositorySelection,
    JSON.stringify(granted.permissions),
    JSON.stringify(granted.events),
    granted.now,
  );
  if (!row) throw new Error('insert into app_installations returned no row');
  await sql.run(`delete from app_installation_repositories where installation_id = $1`, row.id);
  for (const repositoryId of granted.repositoryIds) {
    await sql.run(
      `insert into app_installation_repositories (installation_id, repository_id) values ($1, $2)`,
      row.id,
      repositoryId,
    );
  }
  return row.id;
}

/** Its tokens end with it. */
export async function deleteInstallation(sql: Sql, appId: number, id: number): Promise<void> {
  await sql.run(`delete from app_installations where id = $1 and app_id = $2`, id, appId);
}

export async function updateSuspension(
  sql: Sql,
  { id, suspendedAt }: Pick<Installation, 'id' | 'suspendedAt'>,
): Promise<void> {
  await sql.run(`update app_installations set suspended_at = $2 where id = $1`, id, suspendedAt);
}

/** The bot of the App and what it may do with a token; undefined if the token was revoked or the App uninstalled or suspended. */
export async function findInstallationGrant(
  sql: Sql,
  token: InstallationToken,
): Promise<{ readonly account: Account; readonly installation: InstallationGrant } | undefined> {
  const row = await sql.get<
    AccountRow & {
      app_id: number;
      owner_id: number;
      repository_selection: string;
      permissions: string;
    }
  >(
    `select ${accountColumns}, i.app_id, i.account_id as owner_id, i.repository_selection, i.permissions
     from app_installations i join apps p on p.id = i.app_id join accounts a on a.id = p.bot_id
       join accounts o on o.id = p.owner_id
     where i.id = $1 and i.suspended_at is null and o.suspended_at is null and not exists (select 1 from revoked_installation_tokens v where v.id = $2)`,
    token.installationId,
    token.id,
  );
  if (!row) return undefined;
  const selected =
    row.repository_selection === 'selected'
      ? await selectedRepositories(sql, token.installationId)
      : undefined;
  return {
    account: accountFromRow(row),
    installation: {
      installationId: token.installationId,
      appId: row.app_id,
      accountId: row.owner_id,
      repositoryIds: narrowed(selected, token.repositoryIds),
      permissions: commonPermissions(token.permissions, parsePermissions(row.permissions)),
      token,
    },
  };
}

/** Also deletes the revocations of tokens that have expired. */
export async function revokeInstallationToken(
  sql: Sql,
  token: InstallationToken,
  now: number,
): Promise<void> {
  await sql.run(`delete from revoked_installation_tokens where expires_at <= $1`, now);
  await sql.run(
    `insert into revoked_installation_tokens (id, expires_at) values ($1, $2) on conflict (id) do nothing`,
    token.id,
    token.expiresAt,
  );
}

function narrowed(
  selected: ReadonlySet<number> | undefined,
  named: readonly number[] | null,
): ReadonlySet<number> | 'all' {
  if (named === null) return selected ?? 'all';
  return new Set(named.filter((id) => selected?.has(id) ?? true));
}

function installationFromRow(row: InstallationRow): Installation {
  return {
    id: row.installation_id,
    appId: row.app_id,
    appSlug: row.app_slug,
    clientId: row.app_client_id,
    account: accountFromRow(row),
    repositorySelection: row.repository_selection,
    permissions: parsePermissions(row.permissions),
    events: parseEvents(row.events),
    suspendedAt: row.installation_suspended_at,
    createdAt: row.installed_at,
    updatedAt: row.changed_at,
  };
}
