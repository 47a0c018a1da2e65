import { callerAccountId } from '../../model/caller.ts';
import { openEndpoint } from '../../routing/endpoint.ts';
import { page } from '../../http/reply.ts';
import { organizationsOf } from '../membership-store.ts';
import { userOfPath } from '../organization-access.ts';
import { representOrganization } from '../organization-json.ts';

export const listOrganizationsOfUser = openEndpoint({
  operation: 'orgs/list-for-user',
  method: 'GET',
  path: '/users/:username/orgs',
  docs: 'orgs#list-organizations-for-a-user',
  async handle({ path, caller, page: bounds, urls }, { database }) {
    const found = await database.read(async (sql) => {
      const user = await userOfPath(sql, path.username);
      return organizationsOf(sql, user.id, callerAccountId(caller), bounds);
    });
    return page(
      found.organizations.map((organization) => representOrganization(organization, urls)),
      found.total,
    );
  },
});
