import { permissionIn } from '../../repositories/repository-access.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { noContent } from '../../http/reply.ts';
import { invalidateRepository } from '../../events/invalidate.ts';
import { maintainTeam, seenRepository, seeTeam } from '../team-access.ts';
import { removeTeamPermission } from '../team-repository-store.ts';

/** For administrators of the repository and for who maintains the team. */
export const removeTeamRepository = userEndpoint({
  operation: 'teams/remove-repo-in-org',
  method: 'DELETE',
  path: '/orgs/:org/teams/:team_slug/repos/:owner/:repo',
  docs: 'teams#remove-a-repository-from-a-team',
  acceptedScopes: 'admin:org, repo, write:org',
  scopes: ['write:org', 'repo'],
  async handle({ path, caller }, { database }) {
    await database.write(async (sql) => {
      const { team } = await seeTeam(sql, caller, path);
      const repository = await seenRepository(sql, caller, path);
      const administers = (await permissionIn(sql, caller, repository.id, true)) === 'admin';
      if (!administers) await maintainTeam(sql, caller, path);
      const write = await invalidateRepository(sql, repository.id);
      await removeTeamPermission(write, team.id, repository.id);
    });
    return noContent();
  },
});
