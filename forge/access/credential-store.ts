import type { Sql } from '#platform/database.ts';

import { type AccountRow, accountColumns, accountFromRow } from '../accounts/account-store.ts';
import type { Account } from '../accounts/account.ts';
import { parseScope, type Scope } from './scopes.ts';

export interface TokenOwner {
  readonly account: Account;
  readonly scopes: readonly Scope[];
}

/** The account behind a token's SHA-256, in one statement: this runs for every authenticated request. */
export async function findTokenOwner(sql: Sql, sha256: string): Promise<TokenOwner | undefined> {
  const row = await sql.get<AccountRow & { scopes: string }>(
    `select ${accountColumns}, t.scopes from tokens t join accounts a on a.id = t.account_id
     where t.sha256 = $1`,
    sha256,
  );
  return row && { account: accountFromRow(row), scopes: parseScopes(row.scopes) };
}

export interface NewToken {
  readonly accountId: number;
  readonly sha256: string;
  readonly lastEight: string;
  readonly note: string | null;
  readonly scopes: readonly Scope[];
  /** The site administrator who made it for somebody else. */
  readonly issuerId?: number;
  readonly now: number;
}

export async function insertToken(sql: Sql, token: NewToken): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into tokens (account_id, sha256, last_eight, note, scopes, issuer_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7) returning id`,
    token.accountId,
    token.sha256,
    token.lastEight,
    token.note,
    JSON.stringify(token.scopes),
    token.issuerId ?? null,
    token.now,
  );
  if (!row) throw new Error('insert into tokens returned no row');
  return row.id;
}

/** Ends every token that a site administrator made for the account; those the account got otherwise stay. */
export async function deleteIssuedTokens(sql: Sql, accountId: number): Promise<void> {
  await sql.run(`delete from tokens where account_id = $1 and issuer_id is not null`, accountId);
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
  application: { name: string; clientId: string; secretSha256: string; now: number },
): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into applications (name, client_id, secret_sha256, created_at)
     values ($1, $2, $3, $4) returning id`,
    application.name,
    application.clientId,
    application.secretSha256,
    application.now,
  );
  if (!row) throw new Error('insert into applications returned no row');
  return row.id;
}

function parseScopes(json: string): Scope[] {
  const stored: unknown = JSON.parse(json);
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((item) => (typeof item === 'string' ? (parseScope(item) ?? []) : []));
}
