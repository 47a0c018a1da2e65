import { userOfPath } from '../../accounts/organization-access.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { noContent } from '../../http/reply.ts';
import { invalidateOrganization } from '../../events/invalidate.ts';
import { maintainTeam, seeTeam } from '../team-access.ts';
import { removeTeamMember } from '../team-member-store.ts';

/** Everybody may go; the organization is not left by it. */
export const removeTeamMembership = userEndpoint({
  operation: 'teams/remove-membership-for-user-in-org',
  method: 'DELETE',
  path: '/orgs/:org/teams/:team_slug/memberships/:username',
  docs: 'teams#remove-team-membership-for-a-user',
  acceptedScopes: 'admin:org, write:org',
  scopes: ['write:org'],
  async handle({ path, caller }, { database }) {
    await database.write(async (sql) => {
      const { team } = await seeTeam(sql, caller, path);
      const user = await userOfPath(sql, path.username);
      if (user.id !== caller.account.id) await maintainTeam(sql, caller, path);
      const write = await invalidateOrganization(sql, team.organization.id);
      if (!(await removeTeamMember(write, team.id, user.id))) notFound();
    });
    return noContent();
  },
});
