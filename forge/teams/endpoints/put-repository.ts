import Type from 'typebox';

import { parseSpokenPermission } from '../../model/permission.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { noContent } from '../../http/reply.ts';
import { choice } from '../../http/schemas.ts';
import { invalidateRepository } from '../../events/invalidate.ts';
import { refuseUngrantable, seenRepository, seeTeam } from '../team-access.ts';
import { putTeamPermission } from '../team-repository-store.ts';

/** For administrators of the repository; without a permission the team gets its own. */
export const setTeamPermission = userEndpoint({
  operation: 'teams/add-or-update-repo-permissions-in-org',
  method: 'PUT',
  path: '/orgs/:org/teams/:team_slug/repos/:owner/:repo',
  docs: 'teams#add-or-update-team-repository-permissions',
  acceptedScopes: 'admin:org, repo, write:org',
  body: Type.Object({
    permission: Type.Optional(choice(['pull', 'triage', 'push', 'maintain', 'admin'])),
  }),
  async handle({ path, body, caller }, { database }) {
    await database.write(async (sql) => {
      const { team } = await seeTeam(sql, caller, path);
      const repository = await seenRepository(sql, caller, path);
      await refuseUngrantable(sql, caller, team, repository);
      const permission = parseSpokenPermission(body.permission ?? '') ?? team.permission;
      const write = await invalidateRepository(sql, repository.id);
      await putTeamPermission(write, team.id, repository.id, permission);
    });
    return noContent();
  },
});
