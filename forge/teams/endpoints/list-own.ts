import { userEndpoint } from '../../routing/endpoint.ts';
import { page } from '../../http/reply.ts';
import { describeTeams } from '../describe-teams.ts';
import { teamsOfUser } from '../team-store.ts';

export const listTeamsOfAuthenticatedUser = userEndpoint({
  operation: 'teams/list-for-authenticated-user',
  method: 'GET',
  path: '/user/teams',
  docs: 'teams#list-teams-for-the-authenticated-user',
  acceptedScopes: 'admin:org, read:org, repo, user, write:org',
  scopes: ['read:org', 'repo', 'user'],
  async handle({ caller, page: bounds, urls }, { database }) {
    return database.read(async (sql) => {
      const { teams, total } = await teamsOfUser(sql, caller.account.id, bounds);
      return page(await describeTeams(sql, teams, urls), total);
    });
  },
});
