import { userEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { noContent } from '../../http/reply.ts';
import { memberRole } from '../account-store.ts';
import { seeOrganization, userOfPath } from '../organization-access.ts';

export const checkMembership = userEndpoint({
  operation: 'orgs/check-membership-for-user',
  method: 'GET',
  path: '/orgs/:org/members/:username',
  docs: 'orgs#check-organization-membership-for-a-user',
  async handle({ path, caller }, { database }) {
    const known = await database.read(async (sql) => {
      const { organization, role } = await seeOrganization(sql, caller, path.org);
      const user = await userOfPath(sql, path.username);
      if (role === undefined) return undefined;
      return memberRole(sql, organization.id, user.id);
    });
    return known === undefined
      ? notFound('User does not exist or is not a member of the organization')
      : noContent();
  },
});
