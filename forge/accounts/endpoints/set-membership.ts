import Type from 'typebox';

import { userEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { choice } from '../../http/schemas.ts';
import { changeMembership } from '../membership.ts';
import { ownOrganization, userOfPath } from '../organization-access.ts';
import { representMembership } from '../organization-json.ts';

/** A user is a member at once, as on the enterprise server: nobody has to accept. */
export const setMembership = userEndpoint({
  operation: 'orgs/set-membership-for-user',
  method: 'PUT',
  path: '/orgs/:org/memberships/:username',
  docs: 'orgs#set-organization-membership-for-a-user',
  acceptedScopes: 'admin:org, write:org',
  scopes: ['write:org'],
  body: Type.Object({ role: Type.Optional(choice(['admin', 'member'])) }),
  async handle({ path, body, caller, urls }, { database }) {
    const role = body.role ?? 'member';
    return database.write(async (sql) => {
      const organization = await ownOrganization(sql, caller, path.org);
      const user = await userOfPath(sql, path.username);
      await changeMembership(sql, organization, user, role);
      return ok(representMembership(organization, user, role, urls));
    });
  },
});
