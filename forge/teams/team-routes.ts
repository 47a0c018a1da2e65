import Type from 'typebox';

import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import { requireOrganizationMember } from '../accounts/organization-access.ts';
import { invalid, type FieldError } from '../errors/api-error.ts';
import { invalidateOrganization } from '../events/invalidate.ts';
import { page, ok, created, type EndpointResult, noContent } from '../http/endpoint-result.ts';
import { stringEnum, nullable } from '../http/schemas.ts';
import { parseApiPermission } from '../model/permission.ts';
import { slugOfTeam } from '../model/team.ts';
import { adminRefusal } from '../repositories/repository-access.ts';
import { userEndpoint, repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { addFirstMembers } from './add-first-members.ts';
import { describeTeams, describeTeam } from './describe-teams.ts';
import { loadVisibleTeam, requireTeamMaintainer } from './team-access.ts';
import { representTeam, representTeamGrant } from './team-json.ts';
import { teamMemberRoutes } from './team-member-routes.ts';
import { teamRepositoryRoutes } from './team-repository-routes.ts';
import { teamsOfRepository } from './team-repository-store.ts';
import { listTeams, teamsOfUser, insertTeam, changeTeam, deleteTeam } from './team-store.ts';

/** Fields of requests that create or edit a team. */
const teamFields = {
  description: Type.Optional(nullable(Type.String({ maxLength: 1024 }))),
  privacy: Type.Optional(stringEnum(['secret', 'closed'])),
  permission: Type.Optional(stringEnum(['pull', 'push', 'admin'])),
  parent_team_id: Type.Optional(nullable(Type.Integer())),
};

const slugTaken: FieldError = {
  resource: 'Team',
  code: 'already_exists',
  field: 'name',
  message: 'Another team of the organization already has this name.',
};

const noParents: FieldError = {
  resource: 'Team',
  code: 'custom',
  field: 'parent_team_id',
  message: 'Nested teams are not supported.',
};

/** Teams, their members and repositories. */
export const teamRoutes: readonly Endpoint[] = [
  userEndpoint({
    operation: 'teams/list',
    method: 'GET',
    path: '/orgs/:org/teams',
    docs: 'teams#list-teams',
    acceptedScopes: 'admin:org, read:org, repo, user, write:org',
    scopes: ['read:org', 'repo', 'user'],
    async handle({ path, caller, page: bounds, urls }, { database }) {
      const found = await database.read(async (sql) => {
        const { organization, role } = await requireOrganizationMember(sql, caller, path.org);
        const viewer = { id: caller.account.id, seesSecret: role === 'admin' };
        return listTeams(sql, organization.id, viewer, bounds);
      });
      return page(
        found.teams.map((team) => representTeam(team, urls)),
        found.total,
      );
    },
  }),

  userEndpoint({
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
  }),

  /** For administrators, because the list includes secret teams. */
  repositoryEndpoint({
    operation: 'repos/list-teams',
    method: 'GET',
    path: '/repos/:owner/:repo/teams',
    docs: 'repos#list-repository-teams',
    policy: { permission: 'admin', changes: false, refusal: adminRefusal },
    cacheable: true,
    async handle({ page: bounds, urls }, { repository }, { database }) {
      const found = await database.read((sql) => teamsOfRepository(sql, repository.id, bounds));
      return page(
        found.grants.map(({ team, permission }) => representTeamGrant(team, permission, urls)),
        found.total,
      );
    },
  }),

  userEndpoint({
    operation: 'teams/get-by-name',
    method: 'GET',
    path: '/orgs/:org/teams/:team_slug',
    docs: 'teams#get-a-team-by-name',
    acceptedScopes: 'admin:org, read:org, repo, user, write:org',
    async handle({ path, caller, urls }, { database }) {
      return database.read(async (sql) => {
        const { team } = await loadVisibleTeam(sql, caller, path);
        return ok(await describeTeam(sql, team.organization.id, team.slug, urls));
      });
    },
  }),

  /** Every member of the organization may create a team and becomes its maintainer. */
  userEndpoint({
    operation: 'teams/create',
    method: 'POST',
    path: '/orgs/:org/teams',
    docs: 'teams#create-a-team',
    acceptedScopes: 'admin:org, write:org',
    scopes: ['write:org'],
    body: Type.Object({
      name: Type.String(),
      ...teamFields,
      maintainers: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
      repo_names: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
    }),
    async handle({ path, body, caller, urls, now }, { database }) {
      if (typeof body.parent_team_id === 'number') invalid(noParents);
      const slug = slugOfTeam(body.name);
      const permission = parseApiPermission(body.permission ?? 'pull') ?? 'read';
      const details = { name: body.name, slug, description: body.description ?? null, permission };
      const privacy = body.privacy ?? 'secret';
      try {
        const { representation, login } = await database.write(async (sql) => {
          const { organization } = await requireOrganizationMember(sql, caller, path.org);
          const write = await invalidateOrganization(sql, organization.id);
          const id = await insertTeam(write, organization.id, { ...details, privacy }, now);
          await addFirstMembers(write, caller, organization, {
            id,
            permission,
            maintainers: body.maintainers ?? [],
            repositories: body.repo_names ?? [],
          });
          const team = await describeTeam(sql, organization.id, slug, urls);
          return { representation: team, login: organization.login };
        });
        return created(representation, urls.team(login, slug));
      } catch (error) {
        if (!uniqueViolation(error)) throw error;
        return invalid(slugTaken);
      }
    },
  }),

  /** A new name changes the slug and so the URL. */
  userEndpoint({
    operation: 'teams/update-in-org',
    method: 'PATCH',
    path: '/orgs/:org/teams/:team_slug',
    docs: 'teams#update-a-team',
    acceptedScopes: 'admin:org, write:org',
    scopes: ['write:org'],
    body: Type.Object({ name: Type.Optional(Type.String()), ...teamFields }),
    async handle({ path, body, caller, urls, now }, { database }): Promise<EndpointResult> {
      if (typeof body.parent_team_id === 'number') invalid(noParents);
      try {
        const representation = await database.write(async (sql) => {
          const { team } = await requireTeamMaintainer(sql, caller, path);
          const name = body.name ?? team.name;
          const slug = body.name === undefined ? team.slug : slugOfTeam(name);
          const description = body.description === undefined ? team.description : body.description;
          const privacy = body.privacy ?? team.privacy;
          const permission = parseApiPermission(body.permission ?? '') ?? team.permission;
          const write = await invalidateOrganization(sql, team.organization.id);
          await changeTeam(write, team.id, { name, slug, description, privacy, permission }, now);
          return describeTeam(sql, team.organization.id, slug, urls);
        });
        // GitHub documents 201 for this update.
        return { kind: 'json', status: 201, body: representation };
      } catch (error) {
        if (!uniqueViolation(error)) throw error;
        return invalid(slugTaken);
      }
    },
  }),

  userEndpoint({
    operation: 'teams/delete-in-org',
    method: 'DELETE',
    path: '/orgs/:org/teams/:team_slug',
    docs: 'teams#delete-a-team',
    acceptedScopes: 'admin:org, write:org',
    scopes: ['write:org'],
    async handle({ path, caller }, { database }) {
      await database.write(async (sql) => {
        const { team } = await requireTeamMaintainer(sql, caller, path);
        await deleteTeam(await invalidateOrganization(sql, team.organization.id), team.id);
      });
      return noContent();
    },
  }),

  ...teamMemberRoutes,

  ...teamRepositoryRoutes,
];
