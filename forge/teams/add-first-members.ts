import type { UserCaller } from '../model/caller.ts';
import type { GrantedPermission } from '../model/permission.ts';
import { findAccount, memberRole } from '../accounts/account-store.ts';
import type { Account } from '../model/account.ts';
import { invalid } from '../errors/api-error.ts';
import type { OrganizationWrite } from '../events/invalidate.ts';
import { refuseUngrantable, loadVisibleRepository } from './team-access.ts';
import { putTeamMember } from './team-member-store.ts';
import { putTeamPermission } from './team-repository-store.ts';

export interface FirstMembersInput {
  readonly id: number;
  readonly permission: GrantedPermission;
  /** Logins of members of the organization. */
  readonly maintainers: readonly string[];
  /** As `owner/name`. */
  readonly repositories: readonly string[];
}

/** Adds the first members and repositories of a new team: its creator, and those in the request. */
export async function addFirstMembers(
  sql: OrganizationWrite,
  caller: UserCaller,
  organization: Account,
  team: FirstMembersInput,
): Promise<void> {
  await putTeamMember(sql, team.id, caller.account.id, 'maintainer');
  for (const login of team.maintainers) {
    const user = await findAccount(sql, login);
    const role = user && (await memberRole(sql, organization.id, user.id));
    if (!user || role === undefined) {
      const message = `${login} is not a member of ${organization.login}`;
      return invalid({ resource: 'Team', field: 'maintainers', code: 'custom', message });
    }
    await putTeamMember(sql, team.id, user.id, 'maintainer');
  }
  for (const name of team.repositories) {
    const [owner = '', repo = ''] = name.split('/', 2);
    const repository = await loadVisibleRepository(sql, caller, { owner, repo });
    await refuseUngrantable(sql, caller, { organization }, repository);
    await putTeamPermission(sql, team.id, repository.id, team.permission);
  }
}
