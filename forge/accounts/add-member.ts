import type { OrganizationRole } from '../model/account.ts';
import type { AdministrationPorts } from './administration-ports.ts';
import { changeMembership } from './membership.ts';
import { namedOrganization, namedUser } from './named-account.ts';

export interface MemberWish {
  /** Logins. */
  readonly organization: string;
  readonly login: string;
  /** `admin` is an owner. */
  readonly role: OrganizationRole;
}

/** Makes a user a member of an organization, or gives a member another role. Refuses names that are not there. */
export async function addMember(ports: AdministrationPorts, wish: MemberWish): Promise<void> {
  await ports.database.write(async (sql) => {
    const organization = await namedOrganization(
      sql,
      wish.organization,
      'OrganizationMember',
      'organization',
    );
    const user = await namedUser(sql, wish.login, 'OrganizationMember', 'login');
    await changeMembership(sql, organization, user, wish.role);
  });
}
