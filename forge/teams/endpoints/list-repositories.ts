import { atLeast } from '../../model/permission.ts';
import { permissionsIn } from '../../repositories/repository-access.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { page } from '../../http/reply.ts';
import { representRepositoryFor } from '../../repositories/repository-json.ts';
import { seeTeam } from '../team-access.ts';
import { repositoriesOfTeam } from '../team-repository-store.ts';

/** With what the team may do in each; those that the caller's token may not see are left out. */
export const listRepositoriesOfTeam = userEndpoint({
  operation: 'teams/list-repos-in-org',
  method: 'GET',
  path: '/orgs/:org/teams/:team_slug/repos',
  docs: 'teams#list-team-repositories',
  acceptedScopes: 'admin:org, read:org, repo, user, write:org',
  async handle({ path, caller, page: bounds, urls }, { database }) {
    return database.read(async (sql) => {
      const { team } = await seeTeam(sql, caller, path);
      const { grants, total } = await repositoriesOfTeam(sql, team.id, bounds);
      const ids = grants.map(({ repository }) => repository.id);
      const seen = await permissionsIn(sql, caller, ids);
      const known = grants.filter(({ repository }) =>
        atLeast(seen.get(repository.id) ?? 'none', 'read'),
      );
      return page(
        known.map(({ repository, permission }) =>
          representRepositoryFor(repository, permission, urls),
        ),
        total,
      );
    });
  },
});
