import type { Sql } from '#platform/database/database.ts';

import { type AccountRow, accountColumns, accountFromRow } from '../accounts/account-store.ts';
import type { Account } from '../model/account.ts';
import { parseScope, type Scope } from '../model/scopes.ts';

export interface TokenOwner {
  readonly account: Account;
  readonly scopes: readonly Scope[];
  /** The application that got the token. */
  readonly clientId: string | null;
  readonly tokenId: number;
  /** null: never. */
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

/**
 * The account behind the SHA-256 of a token that has not expired, in one statement: this runs for every authenticated request.
 */
export async function findTokenOwner(
  sql: Sql,
  sha256: string,
  now: number,
): Promise<TokenOwner | undefined> {
  const row = await sql.get<
    AccountRow & {
      scopes: string;
      client_id: string | null;
      token_id: number;
      expires_at: number | null;
      last_used_at: number | null;
    }
  >(
    `select ${accountColumns}, t.scopes, p.client_id, t.id as token_id, t.expires_at, t.last_used_at
     from tokens t join accounts a on a.id = t.account_id
       left join applications p on p.id = t.application_id
     where t.sha256 = $1 and (t.expires_at is null or t.expires_at > $2)`,
    sha256,
    now,
  );
  return (
    row && {
      account: accountFromRow(row),
      scopes: parseScopes(row.scopes),
      clientId: row.client_id,
      tokenId: row.token_id,
      expiresAt: row.expires_at,
      lastUsedAt: row.last_used_at,
    }
  );
}

/** No response that is cached shows it, so no generation advances. */
export async function recordTokenUse(sql: Sql, id: number, now: number): Promise<void> {
  await sql.run(
    `update tokens set last_used_at = $1 where id = $2 and (last_used_at is null or last_used_at < $1)`,
    now,
    id,
  );
}

export interface NewToken {
  readonly accountId: number;
  readonly sha256: string;
  readonly lastEight: string;
  readonly note: string | null;
  readonly scopes: readonly Scope[];
  /** The site administrator who created it for another user. */
  readonly issuerId?: number;
  /** The application that gets it. */
  readonly applicationId?: number;
  readonly expiresAt?: number;
  readonly now: number;
}

export async function insertToken(sql: Sql, token: NewToken): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into tokens (account_id, sha256, last_eight, note, scopes, issuer_id, application_id, expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id`,
    token.accountId,
    token.sha256,
    token.lastEight,
    token.note,
    JSON.stringify(token.scopes),
    token.issuerId ?? null,
    token.applicationId ?? null,
    token.expiresAt ?? null,
    token.now,
  );
  if (!row) throw new Error('insert into tokens returned no row');
  return row.id;
}

/** Revokes all tokens that a site administrator created for the account; its other tokens stay. */
export async function deleteIssuedTokens(sql: Sql, accountId: number): Promise<void> {
  await sql.run(`delete from tokens where account_id = $1 and issuer_id is not null`, accountId);
}

/** A token that a user made, or had made, for use by hand. */
export interface PersonalToken {
  readonly id: number;
  readonly note: string | null;
  readonly scopes: readonly Scope[];
  readonly lastEight: string;
  /** A site administrator made it. */
  readonly issued: boolean;
  readonly createdAt: number;
  /** null: never. */
  readonly expiresAt: number | null;
  /** null: not yet. */
  readonly lastUsedAt: number | null;
}

/** Newest first; those of applications are listed with their application. */
export async function listPersonalTokens(
  sql: Sql,
  accountId: number,
  page: { offset: number; size: number },
): Promise<PersonalToken[]> {
  const rows = await sql.all<{
    id: number;
    note: string | null;
    scopes: string;
    last_eight: string;
    issuer_id: number | null;
    created_at: number;
    expires_at: number | null;
    last_used_at: number | null;
  }>(
    `select id, note, scopes, last_eight, issuer_id, created_at, expires_at, last_used_at from tokens
     where account_id = $1 and application_id is null order by id desc limit $2 offset $3`,
    accountId,
    page.size,
    page.offset,
  );
  return rows.map((row) => ({
    id: row.id,
    note: row.note,
    scopes: parseScopes(row.scopes),
    lastEight: row.last_eight,
    issued: row.issuer_id !== null,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  }));
}

/** false: the account has no such token. */
export async function deletePersonalToken(
  sql: Sql,
  accountId: number,
  id: number,
): Promise<boolean> {
  const row = await sql.get(
    `delete from tokens where id = $1 and account_id = $2 and application_id is null returning id`,
    id,
    accountId,
  );
  if (row === undefined) return false;
  return true;
}

/** Revokes all tokens that an application got from an account. */
export async function deleteApplicationTokens(
  sql: Sql,
  accountId: number,
  applicationId: number,
): Promise<void> {
  await sql.run(
    `delete from tokens where account_id = $1 and application_id = $2`,
    accountId,
    applicationId,
  );
}

/** Keeps the newest tokens of an application for an account that have the same scopes. */
export async function deleteOlderTokens(
  sql: Sql,
  of: { accountId: number; applicationId: number; scopes: readonly Scope[] },
  currentTokenId: number,
): Promise<void> {
  await sql.run(
    `delete from tokens where id in (
       select id from tokens where account_id = $1 and application_id = $2 and scopes = $3
       order by id desc limit 1000 offset $4)`,
    of.accountId,
    of.applicationId,
    JSON.stringify(of.scopes),
    currentTokenId,
  );
}

export interface ApplicationSecret {
  readonly id: number;
  readonly secretSha256: string;
}

export async function findApplication(
  sql: Sql,
  clientId: string,
): Promise<ApplicationSecret | undefined> {
  const row = await sql.get<{ id: number; secret_sha256: string }>(
    `select id, secret_sha256 from applications where client_id = $1`,
    clientId,
  );
  return row && { id: row.id, secretSha256: row.secret_sha256 };
}

export async function insertApplication(
  sql: Sql,
  application: {
    name: string;
    clientId: string;
    secretSha256: string;
    callbackUrl: string | null;
    now: number;
  },
): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into applications (name, client_id, secret_sha256, callback_url, created_at)
     values ($1, $2, $3, $4, $5) returning id`,
    application.name,
    application.clientId,
    application.secretSha256,
    application.callbackUrl,
    application.now,
  );
  if (!row) throw new Error('insert into applications returned no row');
  return row.id;
}

/** Reads the scopes from a column; scopes that no longer exist are dropped. */
export function parseScopes(json: string): Scope[] {
  const stored: unknown = JSON.parse(json);
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((item) => (typeof item === 'string' ? (parseScope(item) ?? []) : []));
}
