import type { Sql } from '#platform/database/database.ts';

import type { AccountsWrite } from '../events/invalidate.ts';
import { type Account, caseless, noreplyAddress } from '../model/account.ts';

/** An address of a user. */
export interface EmailAddress {
  readonly email: string;
  readonly primary: boolean;
  /** Of the primary one: profiles do not show it. */
  readonly hidden: boolean;
}

/** The primary one first, then the others in the order in which they were added. */
export async function listEmails(sql: Sql, accountId: number): Promise<EmailAddress[]> {
  const rows = await sql.all<{ email: string; position: number; hidden: number }>(
    `select email, 0 as position, email_hidden as hidden from accounts where id = $1 and email is not null
     union all select email, id, 0 from email_addresses where account_id = $1
     order by position`,
    accountId,
  );
  return rows.map(({ email, position, hidden }) => ({
    email,
    primary: position === 0,
    hidden: hidden === 1,
  }));
}

/** The addresses by which commits are the user's. */
export async function commitEmails(
  sql: Sql,
  account: Pick<Account, 'id' | 'login'>,
): Promise<string[]> {
  const emails = await listEmails(sql, account.id);
  return [...emails.map(({ email }) => email), noreplyAddress(account)];
}

/** Whether any user has the address. */
export async function isEmailTaken(sql: Sql, email: string): Promise<boolean> {
  const row = await sql.get(
    `select 1 as found where exists (select 1 from accounts where kind = 'user' and email_key = $1)
       or exists (select 1 from email_addresses where email_key = $1)`,
    caseless(email),
  );
  return row !== undefined;
}

/** Fails with a unique violation when a user has added the address. */
export async function insertEmail(
  sql: AccountsWrite,
  added: { readonly accountId: number; readonly email: string; readonly now: number },
): Promise<void> {
  await sql.run(
    `insert into email_addresses (account_id, email, email_key, created_at) values ($1, $2, $3, $4)`,
    added.accountId,
    added.email,
    caseless(added.email),
    added.now,
  );
}

/** false: it is no address of the user, or the primary one. */
export async function deleteEmail(
  sql: AccountsWrite,
  accountId: number,
  email: string,
): Promise<boolean> {
  const deleted = await sql.run(
    `delete from email_addresses where account_id = $1 and email_key = $2`,
    accountId,
    caseless(email),
  );
  return deleted > 0;
}

export async function setPrimaryEmail(
  sql: AccountsWrite,
  accountId: number,
  {
    email,
    hidden,
    now,
  }: { readonly email: string | null; readonly hidden: boolean; readonly now: number },
): Promise<void> {
  await sql.run(
    `update accounts set email = $2, email_key = $3, email_hidden = $4, updated_at = $5 where id = $1`,
    accountId,
    email,
    email === null ? null : caseless(email),
    Number(hidden),
    now,
  );
}
