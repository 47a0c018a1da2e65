import { adminRefusal } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { page } from '../../conventions/reply.ts';
import { representTeamGrant } from '../team-representation.ts';
import { teamsOfRepository } from '../team-repository-store.ts';

/** Secret teams are among them: that is why it is for administrators. */
export const listTeamsOfRepository = repositoryEndpoint({
  operation: 'repos/list-teams',
  method: 'GET',
  path: '/repos/:owner/:repo/teams',
  docs: 'repos#list-repository-teams',
  need: { permission: 'admin', changes: false, refusal: adminRefusal },
  cacheable: true,
  async handle({ page: bounds, urls }, { repository }, { database }) {
    const found = await database.read((sql) => teamsOfRepository(sql, repository.id, bounds));
    return page(
      found.grants.map(({ team, permission }) => representTeamGrant(team, permission, urls)),
      found.total,
    );
  },
});
