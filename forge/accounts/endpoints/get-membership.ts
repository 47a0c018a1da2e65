import { userEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { memberRole } from '../account-store.ts';
import { enterOrganization, userOfPath } from '../organization-access.ts';
import { representMembership } from '../organization-json.ts';

export const getMembership = userEndpoint({
  operation: 'orgs/get-membership-for-user',
  method: 'GET',
  path: '/orgs/:org/memberships/:username',
  docs: 'orgs#get-organization-membership-for-a-user',
  acceptedScopes: 'admin:org, read:org, write:org',
  async handle({ path, caller, urls }, { database }) {
    return database.read(async (sql) => {
      const { organization } = await enterOrganization(sql, caller, path.org);
      const user = await userOfPath(sql, path.username);
      const role = await memberRole(sql, organization.id, user.id);
      return role ? ok(representMembership(organization, user, role, urls)) : notFound();
    });
  },
});
