import type { Sql } from '#platform/database.ts';

import { findAccount } from '../accounts/account-store.ts';
import type { Account } from '../accounts/account.ts';
import { notFound } from '../conventions/refusal.ts';

/** The user of a path's `:username`; organizations do not collaborate. */
export async function namedUser(sql: Sql, login: string): Promise<Account> {
  const account = await findAccount(sql, login);
  return account?.kind === 'user' ? account : notFound();
}
