import type { Sql } from '#platform/database.ts';

import { memberRole } from '../accounts/account-store.ts';
import type { Account } from '../accounts/account.ts';
import { refuse } from '../conventions/refusal.ts';

/** Refuses a user who may not put repositories into an account: it takes the account itself, or a member of it. */
export async function refuseOwning(sql: Sql, user: Account, owner: Account): Promise<void> {
  if (user.id === owner.id) return;
  const role = owner.kind === 'organization' ? await memberRole(sql, owner.id, user.id) : undefined;
  if (role !== undefined) return;
  refuse({
    kind: 'forbidden',
    message: 'You need admin access to the organization before adding a repository to it.',
  });
}
