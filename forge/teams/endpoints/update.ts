import Type from 'typebox';

import { uniqueViolation } from '#platform/database/unique-violation.ts';

import { parseSpokenPermission } from '../../model/permission.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { invalid } from '../../errors/api-error.ts';
import type { Reply } from '../../http/reply.ts';
import { invalidateOrganization } from '../../events/invalidate.ts';
import { describeTeam } from '../describe-teams.ts';
import { maintainTeam } from '../team-access.ts';
import { noParents, slugTaken, teamMembers } from '../team-input.ts';
import { changeTeam } from '../team-store.ts';
import { slugOf } from '../../model/team.ts';

/** A new name makes a new address. */
export const updateTeam = userEndpoint({
  operation: 'teams/update-in-org',
  method: 'PATCH',
  path: '/orgs/:org/teams/:team_slug',
  docs: 'teams#update-a-team',
  acceptedScopes: 'admin:org, write:org',
  scopes: ['write:org'],
  body: Type.Object({ name: Type.Optional(Type.String()), ...teamMembers }),
  async handle({ path, body, caller, urls, now }, { database }): Promise<Reply> {
    if (typeof body.parent_team_id === 'number') invalid(noParents);
    try {
      const described = await database.write(async (sql) => {
        const { team } = await maintainTeam(sql, caller, path);
        const name = body.name ?? team.name;
        const slug = body.name === undefined ? team.slug : slugOf(name);
        const description = body.description === undefined ? team.description : body.description;
        const privacy = body.privacy ?? team.privacy;
        const permission = parseSpokenPermission(body.permission ?? '') ?? team.permission;
        const write = await invalidateOrganization(sql, team.organization.id);
        await changeTeam(write, team.id, { name, slug, description, privacy, permission }, now);
        return describeTeam(sql, team.organization.id, slug, urls);
      });
      // 201, as its clients were told.
      return { kind: 'json', status: 201, body: described };
    } catch (error) {
      if (!uniqueViolation(error)) throw error;
      return invalid(slugTaken);
    }
  },
});
