import type { Sql } from '#platform/database/database.ts';

import { findAccount } from '../accounts/account-store.ts';
import type { Account } from '../model/account.ts';
import { notFound } from '../errors/api-error.ts';

/** The user of a path's `:username`; organizations do not collaborate. */
export async function namedUser(sql: Sql, login: string): Promise<Account> {
  const account = await findAccount(sql, login);
  return account?.kind === 'user' ? account : notFound();
}
