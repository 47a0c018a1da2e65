import type { Sql } from '#platform/database/database.ts';

import type { UserCaller } from '../../model/caller.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { noContent } from '../../http/reply.ts';
import { memberRole } from '../account-store.ts';
import { changeMembership } from '../membership.ts';
import { enterOrganization, ownOrganization, userOfPath } from '../organization-access.ts';

export const removeMembership = userEndpoint({
  operation: 'orgs/remove-membership-for-user',
  method: 'DELETE',
  path: '/orgs/:org/memberships/:username',
  docs: 'orgs#remove-organization-membership-for-a-user',
  acceptedScopes: 'admin:org, write:org',
  scopes: ['write:org'],
  async handle({ path, caller }, { database }) {
    await database.write((sql) => endMembership(sql, caller, path));
    return noContent();
  },
});

export const removeMember = userEndpoint({
  operation: 'orgs/remove-member',
  method: 'DELETE',
  path: '/orgs/:org/members/:username',
  docs: 'orgs#remove-an-organization-member',
  acceptedScopes: 'admin:org, write:org',
  scopes: ['write:org'],
  async handle({ path, caller }, { database }) {
    await database.write((sql) => endMembership(sql, caller, path));
    return noContent();
  },
});

/** Owners remove anybody, and everybody may go. */
async function endMembership(
  sql: Sql,
  caller: UserCaller,
  path: { readonly org: string; readonly username: string },
): Promise<void> {
  const user = await userOfPath(sql, path.username);
  const organization =
    user.id === caller.account.id
      ? (await enterOrganization(sql, caller, path.org)).organization
      : await ownOrganization(sql, caller, path.org);
  if ((await memberRole(sql, organization.id, user.id)) === undefined) return notFound();
  await changeMembership(sql, organization, user, undefined);
}
