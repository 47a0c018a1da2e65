import { userEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { describeTeam } from '../describe-teams.ts';
import { seeTeam } from '../team-access.ts';

export const getTeam = userEndpoint({
  operation: 'teams/get-by-name',
  method: 'GET',
  path: '/orgs/:org/teams/:team_slug',
  docs: 'teams#get-a-team-by-name',
  acceptedScopes: 'admin:org, read:org, repo, user, write:org',
  async handle({ path, caller, urls }, { database }) {
    return database.read(async (sql) => {
      const { team } = await seeTeam(sql, caller, path);
      return ok(await describeTeam(sql, team.organization.id, team.slug, urls));
    });
  },
});
