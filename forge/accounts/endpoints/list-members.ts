import Type from 'typebox';

import { openEndpoint } from '../../routing/endpoint.ts';
import { page } from '../../http/reply.ts';
import { choice, readQuery } from '../../http/schemas.ts';
import { representAccount } from '../account-json.ts';
import { listMembers } from '../membership-store.ts';
import { seeOrganization } from '../organization-access.ts';

const query = Type.Object({ role: Type.Optional(choice(['all', 'admin', 'member'])) });

/** Outsiders see public members, of whom there are none: memberships are not made public here. */
export const listOrganizationMembers = openEndpoint({
  operation: 'orgs/list-members',
  method: 'GET',
  path: '/orgs/:org/members',
  docs: 'orgs#list-organization-members',
  acceptedScopes: 'admin:org, read:org, repo, user, write:org',
  async handle({ path, query: parameters, caller, page: bounds, urls }, { database }) {
    const asked = readQuery(query, parameters, { resource: 'OrganizationMember' }).role;
    const wanted = asked === 'all' ? undefined : asked;
    const found = await database.read(async (sql) => {
      const { organization, role } = await seeOrganization(sql, caller, path.org);
      if (role === undefined) return { members: [], total: 0 };
      return listMembers(sql, organization.id, wanted, bounds);
    });
    return page(
      found.members.map((member) => representAccount(member, urls)),
      found.total,
    );
  },
});
