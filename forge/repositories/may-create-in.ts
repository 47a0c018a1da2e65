import type { Sql } from '#platform/database/database.ts';

import { memberRole } from '../accounts/account-store.ts';
import type { Account } from '../model/account.ts';
import { refuse } from '../errors/api-error.ts';

/** Refuses a user who may not create repositories in an account: only the user itself and members of an organization may. */
export async function requireMayCreateIn(sql: Sql, user: Account, owner: Account): Promise<void> {
  if (user.id === owner.id) return;
  const role = owner.kind === 'organization' ? await memberRole(sql, owner.id, user.id) : undefined;
  if (role !== undefined) return;
  refuse({
    kind: 'forbidden',
    message: 'You need admin access to the organization before adding a repository to it.',
  });
}
