import Type from 'typebox';

import { notFound } from '../errors/api-error.ts';
import { invalidateRepository } from '../events/invalidate.ts';
import { page, noContent } from '../http/endpoint-result.ts';
import { stringEnum } from '../http/schemas.ts';
import { atLeast, parseApiPermission } from '../model/permission.ts';
import { permissionsIn, permissionIn } from '../repositories/repository-access.ts';
import { representRepositoryFor } from '../repositories/repository-json.ts';
import { userEndpoint, type Endpoint } from '../routing/endpoint.ts';
import {
  loadVisibleTeam,
  loadVisibleRepository,
  refuseUngrantable,
  requireTeamMaintainer,
} from './team-access.ts';
import {
  repositoriesOfTeam,
  teamPermission,
  putTeamPermission,
  removeTeamPermission,
} from './team-repository-store.ts';

/** The repositories of a team. */
export const teamRepositoryRoutes: readonly Endpoint[] = [
  /** With the team's permission in each; repositories that the caller's token may not see are omitted. */
  userEndpoint({
    operation: 'teams/list-repos-in-org',
    method: 'GET',
    path: '/orgs/:org/teams/:team_slug/repos',
    docs: 'teams#list-team-repositories',
    acceptedScopes: 'admin:org, read:org, repo, user, write:org',
    async handle({ path, caller, page: bounds, urls }, { database }) {
      return database.read(async (sql) => {
        const { team } = await loadVisibleTeam(sql, caller, path);
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
  }),

  userEndpoint({
    operation: 'teams/check-permissions-for-repo-in-org',
    method: 'GET',
    path: '/orgs/:org/teams/:team_slug/repos/:owner/:repo',
    docs: 'teams#check-team-permissions-for-a-repository',
    acceptedScopes: 'admin:org, read:org, repo, user, write:org',
    async handle({ path, caller }, { database }) {
      const permission = await database.read(async (sql) => {
        const { team } = await loadVisibleTeam(sql, caller, path);
        const repository = await loadVisibleRepository(sql, caller, path);
        return teamPermission(sql, team.id, repository.id);
      });
      return permission === undefined ? notFound() : noContent();
    },
  }),

  /** For administrators of the repository; the default is the team's own permission. */
  userEndpoint({
    operation: 'teams/add-or-update-repo-permissions-in-org',
    method: 'PUT',
    path: '/orgs/:org/teams/:team_slug/repos/:owner/:repo',
    docs: 'teams#add-or-update-team-repository-permissions',
    acceptedScopes: 'admin:org, repo, write:org',
    body: Type.Object({
      permission: Type.Optional(stringEnum(['pull', 'triage', 'push', 'maintain', 'admin'])),
    }),
    async handle({ path, body, caller }, { database }) {
      await database.write(async (sql) => {
        const { team } = await loadVisibleTeam(sql, caller, path);
        const repository = await loadVisibleRepository(sql, caller, path);
        await refuseUngrantable(sql, caller, team, repository);
        const permission = parseApiPermission(body.permission ?? '') ?? team.permission;
        const write = await invalidateRepository(sql, repository.id);
        await putTeamPermission(write, team.id, repository.id, permission);
      });
      return noContent();
    },
  }),

  /** For administrators of the repository and maintainers of the team. */
  userEndpoint({
    operation: 'teams/remove-repo-in-org',
    method: 'DELETE',
    path: '/orgs/:org/teams/:team_slug/repos/:owner/:repo',
    docs: 'teams#remove-a-repository-from-a-team',
    acceptedScopes: 'admin:org, repo, write:org',
    scopes: ['write:org', 'repo'],
    async handle({ path, caller }, { database }) {
      await database.write(async (sql) => {
        const { team } = await loadVisibleTeam(sql, caller, path);
        const repository = await loadVisibleRepository(sql, caller, path);
        const administers = (await permissionIn(sql, caller, repository.id, true)) === 'admin';
        if (!administers) await requireTeamMaintainer(sql, caller, path);
        const write = await invalidateRepository(sql, repository.id);
        await removeTeamPermission(write, team.id, repository.id);
      });
      return noContent();
    },
  }),
];
