import { userEndpoint } from '../../routing/endpoint.ts';
import { page } from '../../http/reply.ts';
import { enterOrganization } from '../../accounts/organization-access.ts';
import { representTeam } from '../team-json.ts';
import { listTeams } from '../team-store.ts';

export const listTeamsOfOrganization = userEndpoint({
  operation: 'teams/list',
  method: 'GET',
  path: '/orgs/:org/teams',
  docs: 'teams#list-teams',
  acceptedScopes: 'admin:org, read:org, repo, user, write:org',
  scopes: ['read:org', 'repo', 'user'],
  async handle({ path, caller, page: bounds, urls }, { database }) {
    const found = await database.read(async (sql) => {
      const { organization, role } = await enterOrganization(sql, caller, path.org);
      const viewer = { id: caller.account.id, seesSecret: role === 'admin' };
      return listTeams(sql, organization.id, viewer, bounds);
    });
    return page(
      found.teams.map((team) => representTeam(team, urls)),
      found.total,
    );
  },
});
