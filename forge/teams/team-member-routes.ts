import Type from 'typebox';

import { representAccount } from '../accounts/account-json.ts';
import { memberRole } from '../accounts/account-store.ts';
import { changeMembership } from '../accounts/membership.ts';
import { getUser } from '../accounts/organization-access.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import { invalidateOrganization } from '../events/invalidate.ts';
import { page, ok, noContent } from '../http/endpoint-result.ts';
import { stringEnum, readQuery } from '../http/schemas.ts';
import { userEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { loadVisibleTeam, requireTeamMaintainer } from './team-access.ts';
import { representTeamMembership } from './team-json.ts';
import { listTeamMembers, teamRole, putTeamMember, removeTeamMember } from './team-member-store.ts';

const query = Type.Object({ role: Type.Optional(stringEnum(['all', 'member', 'maintainer'])) });

/** The members of a team and their memberships. */
export const teamMemberRoutes: readonly Endpoint[] = [
  userEndpoint({
    operation: 'teams/list-members-in-org',
    method: 'GET',
    path: '/orgs/:org/teams/:team_slug/members',
    docs: 'teams#list-team-members',
    acceptedScopes: 'admin:org, read:org, repo, user, write:org',
    async handle({ path, query: parameters, caller, page: bounds, urls }, { database }) {
      const requestedRole = readQuery(query, parameters, { resource: 'TeamMember' }).role;
      const wanted = requestedRole === 'all' ? undefined : requestedRole;
      const found = await database.read(async (sql) => {
        const { team } = await loadVisibleTeam(sql, caller, path);
        return listTeamMembers(sql, team.id, wanted, bounds);
      });
      return page(
        found.members.map((member) => representAccount(member, urls)),
        found.total,
      );
    },
  }),

  userEndpoint({
    operation: 'teams/get-membership-for-user-in-org',
    method: 'GET',
    path: '/orgs/:org/teams/:team_slug/memberships/:username',
    docs: 'teams#get-team-membership-for-a-user',
    acceptedScopes: 'admin:org, read:org, repo, user, write:org',
    async handle({ path, caller, urls }, { database }) {
      return database.read(async (sql) => {
        const { team } = await loadVisibleTeam(sql, caller, path);
        const user = await getUser(sql, path.username);
        const role = (await teamRole(sql, team.id, user.id)) ?? notFound();
        return ok(representTeamMembership(team, user.login, role, urls));
      });
    },
  }),

  /** Members of a team must be members of the organization: an owner can add a user to both at once. */
  userEndpoint({
    operation: 'teams/add-or-update-membership-for-user-in-org',
    method: 'PUT',
    path: '/orgs/:org/teams/:team_slug/memberships/:username',
    docs: 'teams#add-or-update-team-membership-for-a-user',
    acceptedScopes: 'admin:org, write:org',
    scopes: ['write:org'],
    body: Type.Object({ role: Type.Optional(stringEnum(['member', 'maintainer'])) }),
    async handle({ path, body, caller, urls }, { database }) {
      const role = body.role ?? 'member';
      return database.write(async (sql) => {
        const { organization, team, owns } = await requireTeamMaintainer(sql, caller, path);
        const user = await getUser(sql, path.username);
        if ((await memberRole(sql, organization.id, user.id)) === undefined) {
          if (!owns) {
            const message = `${user.login} is not a member of ${organization.login}: only its owners can add members.`;
            refuse({ kind: 'forbidden', message });
          }
          await changeMembership(sql, organization, user, 'member');
        }
        const write = await invalidateOrganization(sql, organization.id);
        await putTeamMember(write, team.id, user.id, role);
        return ok(representTeamMembership(team, user.login, role, urls));
      });
    },
  }),

  /** Every member may leave; the membership in the organization remains. */
  userEndpoint({
    operation: 'teams/remove-membership-for-user-in-org',
    method: 'DELETE',
    path: '/orgs/:org/teams/:team_slug/memberships/:username',
    docs: 'teams#remove-team-membership-for-a-user',
    acceptedScopes: 'admin:org, write:org',
    scopes: ['write:org'],
    async handle({ path, caller }, { database }) {
      await database.write(async (sql) => {
        const { team } = await loadVisibleTeam(sql, caller, path);
        const user = await getUser(sql, path.username);
        if (user.id !== caller.account.id) await requireTeamMaintainer(sql, caller, path);
        const write = await invalidateOrganization(sql, team.organization.id);
        if (!(await removeTeamMember(write, team.id, user.id))) notFound();
      });
      return noContent();
    },
  }),
];
