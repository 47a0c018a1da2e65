import { userEndpoint } from '../../routing/endpoint.ts';
import { noContent } from '../../http/reply.ts';
import { invalidateOrganization } from '../../events/invalidate.ts';
import { maintainTeam } from '../team-access.ts';
import { deleteTeam } from '../team-store.ts';

export const deleteTeamEndpoint = userEndpoint({
  operation: 'teams/delete-in-org',
  method: 'DELETE',
  path: '/orgs/:org/teams/:team_slug',
  docs: 'teams#delete-a-team',
  acceptedScopes: 'admin:org, write:org',
  scopes: ['write:org'],
  async handle({ path, caller }, { database }) {
    await database.write(async (sql) => {
      const { team } = await maintainTeam(sql, caller, path);
      await deleteTeam(await invalidateOrganization(sql, team.organization.id), team.id);
    });
    return noContent();
  },
});
