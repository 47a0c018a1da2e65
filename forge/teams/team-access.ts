import type { Sql } from '#platform/database/database.ts';

import { type Caller, callerAccountId, type UserCaller } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import { permissionIn } from '../repositories/repository-access.ts';
import type { Account } from '../model/account.ts';
import { loadVisibleOrganization } from '../accounts/organization-access.ts';
import { invalid, notFound, refuse } from '../errors/api-error.ts';
import { repositoriesById, repositoryByName } from '../repositories/repository-store.ts';
import type { Repository } from '../model/repository.ts';
import { findAccount } from '../accounts/account-store.ts';
import { teamRole } from './team-member-store.ts';
import { findTeam } from './team-store.ts';
import type { Team } from '../model/team.ts';

export interface VisibleTeam {
  readonly organization: Account;
  readonly team: Team;
  /** Set for owners of the organization and maintainers of the team, who may change the team and its members. */
  readonly maintains: boolean;
  readonly owns: boolean;
}

interface TeamPath {
  readonly org: string;
  readonly team_slug: string;
}

/** The team of a path, or 404: only members of the organization see teams, only members of the team and owners secret ones. */
export async function loadVisibleTeam(
  sql: Sql,
  caller: Caller,
  path: TeamPath,
): Promise<VisibleTeam> {
  const { organization, role } = await loadVisibleOrganization(sql, caller, path.org);
  const team = role && (await findTeam(sql, organization.id, path.team_slug));
  if (!team) return notFound();
  const own = await teamRole(sql, team.id, callerAccountId(caller));
  const owns = role === 'admin';
  if (team.privacy === 'secret' && !owns && own === undefined) return notFound();
  return { organization, team, maintains: owns || own === 'maintainer', owns };
}

/** Like `loadVisibleTeam`, for callers who may change the team. */
export async function requireTeamMaintainer(
  sql: Sql,
  caller: Caller,
  path: TeamPath,
): Promise<VisibleTeam> {
  const seen = await loadVisibleTeam(sql, caller, path);
  if (seen.maintains) return seen;
  const message = `You must be a maintainer of the team or an owner of ${seen.organization.login}.`;
  return refuse({ kind: 'forbidden', message });
}

/** The repository of a path, or 404 if the caller may not see it. */
export async function loadVisibleRepository(
  sql: Sql,
  caller: UserCaller,
  name: { readonly owner: string; readonly repo: string },
): Promise<Repository> {
  const owner = await findAccount(sql, name.owner);
  const found = owner && (await repositoryByName(sql, owner.id, name.repo));
  if (!found || !atLeast(await permissionIn(sql, caller, found.id), 'read')) return notFound();
  return (await repositoriesById(sql, [found.id])).get(found.id) ?? notFound();
}

/** Refuses repositories that the caller does not administer, and those of other owners. */
export async function refuseUngrantable(
  sql: Sql,
  caller: UserCaller,
  team: Pick<Team, 'organization'>,
  repository: Repository,
): Promise<void> {
  if ((await permissionIn(sql, caller, repository.id, true)) !== 'admin') {
    refuse({ kind: 'forbidden', message: 'Must have admin rights to Repository.' });
  }
  if (repository.owner.id === team.organization.id) return;
  invalid({
    resource: 'TeamRepository',
    field: 'repository',
    code: 'custom',
    message: `Teams of ${team.organization.login} can access only repositories of the organization.`,
  });
}
