import type { Sql } from '#platform/database/database.ts';

import { parseScopes } from '../credential-store.ts';
import type { Scope } from '../../model/scopes.ts';
import { type AccountRow, accountColumns, accountFromRow } from '../../accounts/account-store.ts';
import type { Account } from '../../model/account.ts';

/** A token that an application got. */
export interface ApplicationToken {
  readonly id: number;
  readonly account: Account;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
}

export async function findApplicationToken(
  sql: Sql,
  applicationId: number,
  sha256: string,
): Promise<ApplicationToken | undefined> {
  const row = await sql.get<
    AccountRow & { token_id: number; scopes: string; token_created_at: number }
  >(
    `select ${accountColumns}, t.id as token_id, t.scopes, t.created_at as token_created_at
     from tokens t join accounts a on a.id = t.account_id
     where t.sha256 = $1 and t.application_id = $2`,
    sha256,
    applicationId,
  );
  return (
    row && {
      id: row.token_id,
      account: accountFromRow(row),
      scopes: parseScopes(row.scopes),
      createdAt: row.token_created_at,
    }
  );
}

/** Replaces the secret of a token; the old one is no longer valid. */
export async function replaceApplicationToken(
  sql: Sql,
  id: number,
  next: { sha256: string; lastEight: string },
): Promise<void> {
  await sql.run(
    `update tokens set sha256 = $2, last_eight = $3 where id = $1`,
    id,
    next.sha256,
    next.lastEight,
  );
}

export async function deleteApplicationToken(sql: Sql, id: number): Promise<void> {
  await sql.run(`delete from tokens where id = $1`, id);
}
