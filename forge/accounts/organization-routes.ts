import Type from 'typebox';

import type { Sql } from '#platform/database/database.ts';
import { present } from '#platform/present.ts';

import { notFound } from '../errors/api-error.ts';
import { page, ok, noContent } from '../http/endpoint-result.ts';
import { stringEnum, readQuery } from '../http/schemas.ts';
import { callerAccountId, type UserCaller } from '../model/caller.ts';
import { countRepositories } from '../repositories/repository-list-store.ts';
import { openEndpoint, userEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { representAccount } from './account-json.ts';
import { findAccount, memberRole } from './account-store.ts';
import { editProfile } from './edit-profile.ts';
import { organizationsOf, listMembers } from './membership-store.ts';
import { changeMembership } from './membership.ts';
import {
  getUser,
  loadVisibleOrganization,
  requireOrganizationMember,
  requireOrganizationOwner,
} from './organization-access.ts';
import {
  representOrganization,
  representOrganizationProfile,
  representMembership,
} from './organization-json.ts';
import { profileProperties } from './user-routes.ts';

const membersQuery = Type.Object({ role: Type.Optional(stringEnum(['all', 'admin', 'member'])) });

/** Organizations, their members and memberships. */
export const organizationRoutes: readonly Endpoint[] = [
  openEndpoint({
    operation: 'orgs/list-for-user',
    method: 'GET',
    path: '/users/:username/orgs',
    docs: 'orgs#list-organizations-for-a-user',
    async handle({ path, caller, page: bounds, urls }, { database }) {
      const found = await database.read(async (sql) => {
        // Embedded organizations name this URL, too; none belongs to another.
        const account = (await findAccount(sql, path.username)) ?? notFound();
        return organizationsOf(sql, account.id, callerAccountId(caller), bounds);
      });
      return page(
        found.organizations.map((organization) => representOrganization(organization, urls)),
        found.total,
      );
    },
  }),

  userEndpoint({
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
  }),

  openEndpoint({
    operation: 'orgs/get',
    method: 'GET',
    path: '/orgs/:org',
    docs: 'orgs#get-an-organization',
    acceptedScopes: 'admin:org, read:org, repo, user, write:org',
    async handle({ path, caller, urls }, { database }) {
      return database.read(async (sql) => {
        const { organization, role } = await loadVisibleOrganization(sql, caller, path.org);
        const counts = await countRepositories(sql, organization.id);
        const body = representOrganizationProfile(organization, counts, role, urls);
        return ok(body, { lastModified: organization.updatedAt });
      });
    },
  }),

  userEndpoint({
    operation: 'orgs/update',
    method: 'PATCH',
    path: '/orgs/:org',
    docs: 'orgs#update-an-organization',
    acceptedScopes: 'admin:org',
    scopes: ['admin:org'],
    body: Type.Object({ ...profileProperties, description: profileProperties.name }),
    async handle({ path, body, caller, now, urls }, { database }) {
      return database.write(async (sql) => {
        const organization = await requireOrganizationOwner(sql, caller, path.org);
        const { description: bio, ...rest } = body;
        const edited = await editProfile(sql, organization, { ...rest, ...present({ bio }) }, now);
        const counts = await countRepositories(sql, edited.id);
        return ok(representOrganizationProfile(edited, counts, 'admin', urls));
      });
    },
  }),

  /** Non-members see public members only, of whom there are none, because Hob has no public memberships. */
  openEndpoint({
    operation: 'orgs/list-members',
    method: 'GET',
    path: '/orgs/:org/members',
    docs: 'orgs#list-organization-members',
    acceptedScopes: 'admin:org, read:org, repo, user, write:org',
    async handle({ path, query: parameters, caller, page: bounds, urls }, { database }) {
      const requestedRole = readQuery(membersQuery, parameters, {
        resource: 'OrganizationMember',
      }).role;
      const wanted = requestedRole === 'all' ? undefined : requestedRole;
      const found = await database.read(async (sql) => {
        const { organization, role } = await loadVisibleOrganization(sql, caller, path.org);
        if (role === undefined) return { members: [], total: 0 };
        return listMembers(sql, organization.id, wanted, bounds);
      });
      return page(
        found.members.map((member) => representAccount(member, urls)),
        found.total,
      );
    },
  }),

  userEndpoint({
    operation: 'orgs/check-membership-for-user',
    method: 'GET',
    path: '/orgs/:org/members/:username',
    docs: 'orgs#check-organization-membership-for-a-user',
    async handle({ path, caller }, { database }) {
      const known = await database.read(async (sql) => {
        const { organization, role } = await loadVisibleOrganization(sql, caller, path.org);
        const user = await getUser(sql, path.username);
        if (role === undefined) return undefined;
        return memberRole(sql, organization.id, user.id);
      });
      return known === undefined
        ? notFound('User does not exist or is not a member of the organization')
        : noContent();
    },
  }),

  userEndpoint({
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
  }),

  userEndpoint({
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
  }),

  userEndpoint({
    operation: 'orgs/get-membership-for-user',
    method: 'GET',
    path: '/orgs/:org/memberships/:username',
    docs: 'orgs#get-organization-membership-for-a-user',
    acceptedScopes: 'admin:org, read:org, write:org',
    async handle({ path, caller, urls }, { database }) {
      return database.read(async (sql) => {
        const { organization } = await requireOrganizationMember(sql, caller, path.org);
        const user = await getUser(sql, path.username);
        const role = await memberRole(sql, organization.id, user.id);
        return role ? ok(representMembership(organization, user, role, urls)) : notFound();
      });
    },
  }),

  /** As on GitHub Enterprise Server, a user becomes a member at once, without an invitation. */
  userEndpoint({
    operation: 'orgs/set-membership-for-user',
    method: 'PUT',
    path: '/orgs/:org/memberships/:username',
    docs: 'orgs#set-organization-membership-for-a-user',
    acceptedScopes: 'admin:org, write:org',
    scopes: ['write:org'],
    body: Type.Object({ role: Type.Optional(stringEnum(['admin', 'member'])) }),
    async handle({ path, body, caller, urls }, { database }) {
      const role = body.role ?? 'member';
      return database.write(async (sql) => {
        const organization = await requireOrganizationOwner(sql, caller, path.org);
        const user = await getUser(sql, path.username);
        await changeMembership(sql, organization, user, role);
        return ok(representMembership(organization, user, role, urls));
      });
    },
  }),
];

/** Owners may remove any member, and every member may leave. */
async function endMembership(
  sql: Sql,
  caller: UserCaller,
  path: { readonly org: string; readonly username: string },
): Promise<void> {
  const user = await getUser(sql, path.username);
  const organization =
    user.id === caller.account.id
      ? (await requireOrganizationMember(sql, caller, path.org)).organization
      : await requireOrganizationOwner(sql, caller, path.org);
  if ((await memberRole(sql, organization.id, user.id)) === undefined) return notFound();
  await changeMembership(sql, organization, user, undefined);
}
