import { userEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { noContent } from '../../http/reply.ts';
import { seenRepository, seeTeam } from '../team-access.ts';
import { teamPermission } from '../team-repository-store.ts';

export const checkTeamPermission = userEndpoint({
  operation: 'teams/check-permissions-for-repo-in-org',
  method: 'GET',
  path: '/orgs/:org/teams/:team_slug/repos/:owner/:repo',
  docs: 'teams#check-team-permissions-for-a-repository',
  acceptedScopes: 'admin:org, read:org, repo, user, write:org',
  async handle({ path, caller }, { database }) {
    const permission = await database.read(async (sql) => {
      const { team } = await seeTeam(sql, caller, path);
      const repository = await seenRepository(sql, caller, path);
      return teamPermission(sql, team.id, repository.id);
    });
    return permission === undefined ? notFound() : noContent();
  },
});
