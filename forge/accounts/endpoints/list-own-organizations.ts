import { userEndpoint } from '../../routing/endpoint.ts';
import { page } from '../../http/reply.ts';
import { organizationsOf } from '../membership-store.ts';
import { representOrganization } from '../organization-json.ts';

export const listOrganizationsOfAuthenticatedUser = userEndpoint({
  operation: 'orgs/list-for-authenticated-user',
  method: 'GET',
  path: '/user/orgs',
  docs: 'orgs#list-organizations-for-the-authenticated-user',
  acceptedScopes: 'admin:org, read:org, repo, user, write:org',
  scopes: ['read:org', 'repo', 'user'],
  async handle({ caller, page: bounds, urls }, { database }) {
    const { id } = caller.account;
    const found = await database.read((sql) => organizationsOf(sql, id, id, bounds));
    return page(
      found.organizations.map((organization) => representOrganization(organization, urls)),
      found.total,
    );
  },
});
