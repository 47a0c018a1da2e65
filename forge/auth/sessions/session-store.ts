import type { Sql } from '#platform/database/database.ts';

import { type AccountRow, accountColumns, accountFromRow } from '../../accounts/account-store.ts';
import type { Account } from '../../model/account.ts';
import { passwordMark } from './session.ts';

export interface NewSession {
  readonly sha256: string;
  readonly accountId: number;
  readonly passwordSha256: string;
  readonly now: number;
  readonly expiresAt: number;
}

/** Also deletes expired sessions; without sign-ins there are too few to matter. */
export async function insertSession(sql: Sql, session: NewSession): Promise<void> {
  await sql.run(`delete from sessions where expires_at <= $1`, session.now);
  await sql.run(
    `insert into sessions (sha256, account_id, password_sha256, created_at, expires_at)
     values ($1, $2, $3, $4, $5)`,
    session.sha256,
    session.accountId,
    session.passwordSha256,
    session.now,
    session.expiresAt,
  );
}

/** The owner of a session; undefined if it has expired, the password has changed since it started, or the owner is suspended. */
export function findSessionOwner(
  sql: Sql,
  sha256: string,
  now: number,
): Promise<Account | undefined> {
  return findOwner(sql, 'sessions', sha256, now);
}

/** A session as its owner sees it. */
export interface ListedSession {
  readonly sha256: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The sessions of an account that are valid now, the newest first. */
export async function listSessions(
  sql: Sql,
  accountId: number,
  passwordSha256: string,
  now: number,
): Promise<ListedSession[]> {
  const rows = await sql.all<{ sha256: string; created_at: number; expires_at: number }>(
    `select sha256, created_at, expires_at from sessions
     where account_id = $1 and password_sha256 = $2 and expires_at > $3
     order by created_at desc, sha256 limit 100`,
    accountId,
    passwordSha256,
    now,
  );
  return rows.map((row) => ({
    sha256: row.sha256,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }));
}

/** Ends a session of this account, or all but one. */
export async function endSessions(
  sql: Sql,
  accountId: number,
  which: { readonly only: string } | { readonly allBut: string },
): Promise<void> {
  if ('only' in which) {
    await sql.run(
      `delete from sessions where account_id = $1 and sha256 = $2`,
      accountId,
      which.only,
    );
    return;
  }
  await sql.run(
    `delete from sessions where account_id = $1 and sha256 <> $2`,
    accountId,
    which.allBut,
  );
}

export async function deleteSession(sql: Sql, sha256: string): Promise<void> {
  await sql.run(`delete from sessions where sha256 = $1`, sha256);
}

/** Stores that the password was right. Also deletes expired entries. */
export async function insertPendingSignIn(sql: Sql, pending: NewSession): Promise<void> {
  await sql.run(`delete from pending_sign_ins where expires_at <= $1`, pending.now);
  await sql.run(
    `insert into pending_sign_ins (sha256, account_id, password_sha256, expires_at)
     values ($1, $2, $3, $4)`,
    pending.sha256,
    pending.accountId,
    pending.passwordSha256,
    pending.expiresAt,
  );
}

/** The owner of a pending sign-in; undefined if it has expired or the password has changed meanwhile. */
export function findPendingSignIn(
  sql: Sql,
  sha256: string,
  now: number,
): Promise<Account | undefined> {
  return findOwner(sql, 'pending_sign_ins', sha256, now);
}

export async function deletePendingSignIn(sql: Sql, sha256: string): Promise<void> {
  await sql.run(`delete from pending_sign_ins where sha256 = $1`, sha256);
}

/** undefined if several users have the address, because it does not show which of them is signing in. */
export async function loginOfEmail(sql: Sql, emailKey: string): Promise<string | undefined> {
  const rows = await sql.all<{ login: string }>(
    `select a.login from accounts a where a.kind = 'user' and (a.email_key = $1
       or exists (select 1 from email_addresses e where e.account_id = a.id and e.email_key = $1)) limit 2`,
    emailKey,
  );
  return rows.length === 1 ? rows[0]?.login : undefined;
}

async function findOwner(
  sql: Sql,
  table: 'sessions' | 'pending_sign_ins',
  sha256: string,
  now: number,
): Promise<Account | undefined> {
  const row = await sql.get<OwnerRow>(
    `select ${accountColumns}, a.password_hash, s.password_sha256
     from ${table} s join accounts a on a.id = s.account_id
     where s.sha256 = $1 and s.expires_at > $2 and a.suspended_at is null`,
    sha256,
    now,
  );
  return row && ownerOf(row);
}

interface OwnerRow extends AccountRow {
  password_hash: string | null;
  password_sha256: string;
}

function ownerOf(row: OwnerRow): Account | undefined {
  const unchanged =
    row.password_hash !== null && passwordMark(row.password_hash) === row.password_sha256;
  return unchanged ? accountFromRow(row) : undefined;
}
