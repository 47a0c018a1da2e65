import type { Sql } from '#platform/database/database.ts';

import { refuse } from '../errors/api-error.ts';
import { invalidateOrganization } from '../events/invalidate.ts';
import { memberRole, otherOwners, putMember, removeMember } from './account-store.ts';
import { revokeGrants } from './membership-store.ts';
import type { Account, OrganizationRole } from '../model/account.ts';

/** Makes a user a member with this role; `undefined` ends the membership. Refuses to take away the last owner. */
export async function changeMembership(
  sql: Sql,
  organization: Account,
  user: Account,
  role: OrganizationRole | undefined,
): Promise<void> {
  const before = await memberRole(sql, organization.id, user.id);
  const losesOwner = before === 'admin' && role !== 'admin';
  if (losesOwner && (await otherOwners(sql, organization.id, user.id)) === 0) {
    refuse({
      kind: 'forbidden',
      message: `${user.login} is the last owner of ${organization.login}: make another member an owner first.`,
    });
  }
  if (role === before) return;
  const write = await invalidateOrganization(sql, organization.id);
  if (role === undefined) {
    await revokeGrants(write, organization.id, user.id);
    await removeMember(write, organization.id, user.id);
  } else {
    await putMember(write, organization.id, user.id, role);
  }
}
