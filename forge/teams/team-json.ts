import { type GrantedPermission, permissionFlags } from '../model/permission.ts';
import type { AccountCounts } from '../accounts/account-json.ts';
import type { Account } from '../model/account.ts';
import { representOrganizationProfile } from '../accounts/organization-json.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import type { Urls } from '../json/urls.ts';
import type { Team, TeamRole } from '../model/team.ts';

type Representation = { [field: string]: Json };

/** The representation in lists and pulls (docs/specification/forge.md 9.9). Hob has no nested teams. */
export function representTeam(team: Team, urls: Urls): Representation {
  const url = urls.team(team.organization.login, team.slug);
  return {
    id: team.id,
    node_id: nodeId('Team', team.id),
    url,
    html_url: urls.teamHtml(team.organization.login, team.slug),
    name: team.name,
    slug: team.slug,
    description: team.description,
    privacy: team.privacy,
    permission: apiNames[team.permission],
    type: 'organization',
    members_url: `${url}/members{/member}`,
    repositories_url: `${url}/repos`,
    parent: null,
  };
}

/** The representation in the list of a repository: `permission` is the team's permission there. */
export function representTeamGrant(
  team: Team,
  permission: GrantedPermission,
  urls: Urls,
): Representation {
  return {
    ...representTeam(team, urls),
    permission: apiNames[permission],
    permissions: { ...permissionFlags(permission) },
  };
}

/** The detailed representation of a team. */
export function representFullTeam(
  team: Team,
  organization: { readonly account: Account; readonly counts: AccountCounts },
  urls: Urls,
): Representation {
  return {
    ...representTeam(team, urls),
    members_count: team.members,
    repos_count: team.repositories,
    created_at: timestamp(team.createdAt),
    updated_at: timestamp(team.updatedAt),
    organization: representOrganizationProfile(
      organization.account,
      organization.counts,
      undefined,
      urls,
    ),
  };
}

/** A new member is active at once, without an invitation. */
export function representTeamMembership(
  team: Team,
  login: string,
  role: TeamRole,
  urls: Urls,
): Representation {
  const url = `${urls.team(team.organization.login, team.slug)}/memberships/${login}`;
  return { url, role, state: 'active' };
}

const apiNames: Readonly<Record<GrantedPermission, string>> = {
  read: 'pull',
  triage: 'triage',
  write: 'push',
  maintain: 'maintain',
  admin: 'admin',
};
