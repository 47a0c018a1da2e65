import { userOfPath } from '../../accounts/organization-access.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { seeTeam } from '../team-access.ts';
import { teamRole } from '../team-member-store.ts';
import { representTeamMembership } from '../team-json.ts';

export const getTeamMembership = userEndpoint({
  operation: 'teams/get-membership-for-user-in-org',
  method: 'GET',
  path: '/orgs/:org/teams/:team_slug/memberships/:username',
  docs: 'teams#get-team-membership-for-a-user',
  acceptedScopes: 'admin:org, read:org, repo, user, write:org',
  async handle({ path, caller, urls }, { database }) {
    return database.read(async (sql) => {
      const { team } = await seeTeam(sql, caller, path);
      const user = await userOfPath(sql, path.username);
      const role = (await teamRole(sql, team.id, user.id)) ?? notFound();
      return ok(representTeamMembership(team, user.login, role, urls));
    });
  },
});
