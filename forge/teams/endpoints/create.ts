import Type from 'typebox';

import { uniqueViolation } from '#platform/database/unique-violation.ts';

import { parseSpokenPermission } from '../../model/permission.ts';
import { enterOrganization } from '../../accounts/organization-access.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { invalid } from '../../errors/api-error.ts';
import { created } from '../../http/reply.ts';
import { invalidateOrganization } from '../../events/invalidate.ts';
import { describeTeam } from '../describe-teams.ts';
import { beginTeam } from '../begin-team.ts';
import { noParents, slugTaken, teamMembers } from '../team-input.ts';
import { insertTeam } from '../team-store.ts';
import { slugOf } from '../../model/team.ts';

/** Every member may make one; who does maintains it. */
export const createTeam = userEndpoint({
  operation: 'teams/create',
  method: 'POST',
  path: '/orgs/:org/teams',
  docs: 'teams#create-a-team',
  acceptedScopes: 'admin:org, write:org',
  scopes: ['write:org'],
  body: Type.Object({
    name: Type.String(),
    ...teamMembers,
    maintainers: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
    repo_names: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
  }),
  async handle({ path, body, caller, urls, now }, { database }) {
    if (typeof body.parent_team_id === 'number') invalid(noParents);
    const slug = slugOf(body.name);
    const permission = parseSpokenPermission(body.permission ?? 'pull') ?? 'read';
    const words = { name: body.name, slug, description: body.description ?? null, permission };
    const privacy = body.privacy ?? 'secret';
    try {
      const { described, login } = await database.write(async (sql) => {
        const { organization } = await enterOrganization(sql, caller, path.org);
        const write = await invalidateOrganization(sql, organization.id);
        const id = await insertTeam(write, organization.id, { ...words, privacy }, now);
        await beginTeam(write, caller, organization, {
          id,
          permission,
          maintainers: body.maintainers ?? [],
          repositories: body.repo_names ?? [],
        });
        const team = await describeTeam(sql, organization.id, slug, urls);
        return { described: team, login: organization.login };
      });
      return created(described, urls.team(login, slug));
    } catch (error) {
      if (!uniqueViolation(error)) throw error;
      return invalid(slugTaken);
    }
  },
});
