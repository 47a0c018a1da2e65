import type { Sql } from '#platform/database/database.ts';

import type { AccountsWrite, OrganizationWrite } from '../events/invalidate.ts';
import {
  type Account,
  caseless,
  idOfNoreplyAddress,
  isBotLogin,
  type OrganizationRole,
} from '../model/account.ts';

export interface AccountRow {
  id: number;
  kind: 'user' | 'organization';
  login: string;
  name: string | null;
  email: string | null;
  email_hidden: number;
  company: string | null;
  blog: string | null;
  location: string | null;
  bio: string | null;
  site_admin: number;
  suspended_at: number | null;
  time_zone: string | null;
  created_at: number;
  updated_at: number;
}

const ownColumns = `id, kind, login, name, email, email_hidden, company, blog, location, bio, site_admin, suspended_at,
  time_zone, created_at, updated_at`;

/** The columns of an account, for statements that join it under the alias `a`. */
export const accountColumns: string = ownColumns.replaceAll(/\w+/g, 'a.$&');

export function accountFromRow(row: AccountRow): Account {
  return {
    id: row.id,
    kind: isBotLogin(row.login) ? 'bot' : row.kind,
    login: row.login,
    name: row.name,
    email: row.email_hidden === 1 ? null : row.email,
    company: row.company,
    blog: row.blog,
    location: row.location,
    bio: row.bio,
    siteAdmin: row.site_admin === 1,
    suspendedAt: row.suspended_at,
    timeZone: row.time_zone,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export async function findAccount(sql: Sql, login: string): Promise<Account | undefined> {
  const row = await sql.get<AccountRow>(
    `select ${accountColumns} from accounts a where a.login_key = $1`,
    caseless(login),
  );
  return row && accountFromRow(row);
}

/** Accounts by id, in one statement, for representations that embed several. */
export async function accountsById(sql: Sql, ids: Iterable<number>): Promise<Map<number, Account>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const rows = await sql.all<AccountRow>(
    `select ${accountColumns} from accounts a where a.id in (${placeholders(unique.length)})`,
    ...unique,
  );
  return new Map(rows.map((row) => [row.id, accountFromRow(row)]));
}

/** Users by lower-case e-mail address: how commits find their authors. */
export async function usersByEmail(
  sql: Sql,
  emails: Iterable<string>,
): Promise<Map<string, Account>> {
  const unique = [...new Set([...emails].map(caseless))];
  if (unique.length === 0) return new Map();
  const list = placeholders(unique.length);
  const rows = await sql.all<AccountRow & { email_key: string }>(
    `select ${accountColumns}, k.email_key from (
       select id, email_key from accounts where kind = 'user' and email_key in (${list})
       union select account_id, email_key from email_addresses where email_key in (${list})
     ) k join accounts a on a.id = k.id order by a.id desc`,
    ...unique,
  );
  const found = new Map(rows.map((row) => [row.email_key, accountFromRow(row)]));
  const hidden = new Map(unique.map((email) => [email, idOfNoreplyAddress(email)]));
  const byId = await accountsById(
    sql,
    [...hidden.values()].flatMap((id) => id ?? []),
  );
  for (const [email, id] of hidden) {
    const account = id === undefined ? undefined : byId.get(id);
    if (account?.kind === 'user') found.set(email, account);
  }
  return found;
}

export async function hasUsers(sql: Sql): Promise<boolean> {
  const row = await sql.get(`select 1 as found from accounts where kind = 'user' limit 1`);
  return row !== undefined;
}

/** Without the bots of Apps, which cannot sign in. */
export async function listUsers(sql: Sql): Promise<Account[]> {
  const rows = await sql.all<AccountRow>(
    `select ${accountColumns} from accounts a where a.kind = 'user' order by a.id`,
  );
  return rows.map(accountFromRow).filter(({ kind }) => kind === 'user');
}

export interface NewAccount {
  readonly kind: 'user' | 'organization';
  readonly login: string;
  readonly name?: string | null;
  readonly email?: string | null;
  readonly siteAdmin?: boolean;
  readonly passwordHash?: string | null;
  readonly now: number;
}

/** Fails with a unique violation when the login is taken. */
export async function insertAccount(sql: AccountsWrite, account: NewAccount): Promise<Account> {
  const row = await sql.get<AccountRow>(
    `insert into accounts
       (kind, login, login_key, name, email, email_key, site_admin, password_hash, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
     returning ${ownColumns}`,
    account.kind,
    account.login,
    caseless(account.login),
    account.name ?? null,
    account.email ?? null,
    account.email ? caseless(account.email) : null,
    account.siteAdmin ? 1 : 0,
    account.passwordHash ?? null,
    account.now,
  );
  if (!row) throw new Error('insert into accounts returned no row');
  return accountFromRow(row);
}

export async function putMember(
  sql: OrganizationWrite,
  organizationId: number,
  userId: number,
  role: OrganizationRole,
): Promise<void> {
  await sql.run(
    `insert into organization_members (organization_id, user_id, role) values ($1, $2, $3)
     on conflict (organization_id, user_id) do update set role = excluded.role`,
    organizationId,
    userId,
    role,
  );
}

export async function memberRole(
  sql: Sql,
  organizationId: number,
  userId: number,
): Promise<OrganizationRole | undefined> {
  const row = await sql.get<{ role: OrganizationRole }>(
    `select role from organization_members where organization_id = $1 and user_id = $2`,
    organizationId,
    userId,
  );
  return row?.role;
}

export async function removeMember(
  sql: OrganizationWrite,
  organizationId: number,
  userId: number,
): Promise<void> {
  await sql.run(
    `delete from organization_members where organization_id = $1 and user_id = $2`,
    organizationId,
    userId,
  );
}

/** How many owners an organization has apart from this user. */
export async function otherOwners(
  sql: Sql,
  organizationId: number,
  userId: number,
): Promise<number> {
  const row = await sql.get<{ owners: number }>(
    `select count(*) as owners from organization_members
     where organization_id = $1 and user_id <> $2 and role = 'admin'`,
    organizationId,
    userId,
  );
  return row?.owners ?? 0;
}

export async function passwordHash(sql: Sql, accountId: number): Promise<string | undefined> {
  const row = await sql.get<{ password_hash: string | null }>(
    `select password_hash from accounts where id = $1`,
    accountId,
  );
  return row?.password_hash ?? undefined;
}

/** Ends the sessions that began with another password (auth/sessions/session.ts). */
export async function replacePasswordHash(
  sql: AccountsWrite,
  accountId: number,
  hash: string,
  now: number,
): Promise<void> {
  await sql.run(
    'update accounts set password_hash = $2, updated_at = $3 where id = $1',
    accountId,
    hash,
    now,
  );
}

export async function setSiteAdmin(
  sql: AccountsWrite,
  accountId: number,
  siteAdmin: boolean,
  now: number,
): Promise<void> {
  await sql.run(
    `update accounts set site_admin = $2, updated_at = $3 where id = $1`,
    accountId,
    Number(siteAdmin),
    now,
  );
}

/** null: no longer. */
export async function setSuspended(
  sql: AccountsWrite,
  accountId: number,
  suspendedAt: number | null,
  now: number,
): Promise<void> {
  await sql.run(
    `update accounts set suspended_at = $2, updated_at = $3 where id = $1`,
    accountId,
    suspendedAt,
    now,
  );
}

/** Whether the user can sign in: credentials of a suspended user are checked where they are used. */
export async function isSuspended(sql: Sql, accountId: number): Promise<boolean> {
  const row = await sql.get(
    `select 1 as found from accounts where id = $1 and suspended_at is not null`,
    accountId,
  );
  return row !== undefined;
}

/** The addresses of users are changed by themselves (email-store.ts). */
export async function changeProfile(sql: AccountsWrite, account: Account): Promise<void> {
  const { id, name, company, blog, location, email, bio, updatedAt } = account;
  await sql.run(
    `update accounts set name = $2, company = $3, blog = $4, location = $5, bio = $8, updated_at = $9,
       email = case when kind = 'organization' then $6 else email end,
       email_key = case when kind = 'organization' then $7 else email_key end
     where id = $1`,
    id,
    name,
    company,
    blog,
    location,
    email,
    email === null ? null : caseless(email),
    bio,
    updatedAt,
  );
}

export async function rememberTimeZone(sql: Sql, accountId: number, zone: string): Promise<void> {
  await sql.run(`update accounts set time_zone = $2 where id = $1`, accountId, zone);
}

/** `$1, $2, …` for an `in` list, starting at `first`. */
export function placeholders(count: number, first = 1): string {
  return Array.from({ length: count }, (_, index) => `$${first + index}`).join(', ');
}
