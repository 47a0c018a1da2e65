import type { Sql } from '#platform/database/database.ts';

import { refuse } from '../errors/api-error.ts';
import { invalidateOrganization } from '../events/invalidate.ts';
import type { Account, OrganizationRole } from '../model/account.ts';
import { memberRole, otherOwners, putMember, removeMember } from './account-store.ts';
import type { AdministrationPorts } from '../ports/ports.ts';
import { revokeGrants } from './membership-store.ts';
import { resolveOrganization, resolveUser } from './resolve-account.ts';

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

interface AddMemberInput {
  /** Logins. */
  readonly organization: string;
  readonly login: string;
  /** `admin` is an owner. */
  readonly role: OrganizationRole;
}

/** Adds a user to an organization, or changes the role of a member. Refuses unknown names. */
export async function addMember(ports: AdministrationPorts, input: AddMemberInput): Promise<void> {
  await ports.database.write(async (sql) => {
    const organization = await resolveOrganization(
      sql,
      input.organization,
      'OrganizationMember',
      'organization',
    );
    const user = await resolveUser(sql, input.login, 'OrganizationMember', 'login');
    await changeMembership(sql, organization, user, input.role);
  });
}
