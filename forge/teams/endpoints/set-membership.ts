import Type from 'typebox';

import { memberRole } from '../../accounts/account-store.ts';
import { changeMembership } from '../../accounts/membership.ts';
import { userOfPath } from '../../accounts/organization-access.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { refuse } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { choice } from '../../http/schemas.ts';
import { invalidateOrganization } from '../../events/invalidate.ts';
import { maintainTeam } from '../team-access.ts';
import { putTeamMember } from '../team-member-store.ts';
import { representTeamMembership } from '../team-json.ts';

/** Members of teams are members of the organization: an owner makes them both at once. */
export const setTeamMembership = userEndpoint({
  operation: 'teams/add-or-update-membership-for-user-in-org',
  method: 'PUT',
  path: '/orgs/:org/teams/:team_slug/memberships/:username',
  docs: 'teams#add-or-update-team-membership-for-a-user',
  acceptedScopes: 'admin:org, write:org',
  scopes: ['write:org'],
  body: Type.Object({ role: Type.Optional(choice(['member', 'maintainer'])) }),
  async handle({ path, body, caller, urls }, { database }) {
    const role = body.role ?? 'member';
    return database.write(async (sql) => {
      const { organization, team, owns } = await maintainTeam(sql, caller, path);
      const user = await userOfPath(sql, path.username);
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
});
