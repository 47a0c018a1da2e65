import { adminRefusal } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page } from '../../http/reply.ts';
import { representTeamGrant } from '../team-json.ts';
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
