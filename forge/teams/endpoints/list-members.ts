import Type from 'typebox';

import { representAccount } from '../../accounts/account-json.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { page } from '../../http/reply.ts';
import { choice, readQuery } from '../../http/schemas.ts';
import { seeTeam } from '../team-access.ts';
import { listTeamMembers } from '../team-member-store.ts';

const query = Type.Object({ role: Type.Optional(choice(['all', 'member', 'maintainer'])) });

export const listMembersOfTeam = userEndpoint({
  operation: 'teams/list-members-in-org',
  method: 'GET',
  path: '/orgs/:org/teams/:team_slug/members',
  docs: 'teams#list-team-members',
  acceptedScopes: 'admin:org, read:org, repo, user, write:org',
  async handle({ path, query: parameters, caller, page: bounds, urls }, { database }) {
    const asked = readQuery(query, parameters, { resource: 'TeamMember' }).role;
    const wanted = asked === 'all' ? undefined : asked;
    const found = await database.read(async (sql) => {
      const { team } = await seeTeam(sql, caller, path);
      return listTeamMembers(sql, team.id, wanted, bounds);
    });
    return page(
      found.members.map((member) => representAccount(member, urls)),
      found.total,
    );
  },
});
