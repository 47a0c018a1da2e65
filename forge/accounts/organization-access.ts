import type { Sql } from '#platform/database/database.ts';

import { type Caller, callerAccountId } from '../model/caller.ts';
import { holdsAny } from '../model/scopes.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import { findAccount, memberRole } from './account-store.ts';
import type { Account, OrganizationRole } from '../model/account.ts';

export interface VisibleOrganization {
  readonly organization: Account;
  /** The caller's role; undefined for non-members, and for tokens without a scope to see it. */
  readonly role: OrganizationRole | undefined;
}

/** The organization of a path with the caller's role in it, or 404. */
export async function loadVisibleOrganization(
  sql: Sql,
  caller: Caller,
  login: string,
): Promise<VisibleOrganization> {
  const organization = await findAccount(sql, login);
  if (organization?.kind !== 'organization') return notFound();
  const viewerId = membershipViewerId(caller);
  const role = viewerId > 0 ? await memberRole(sql, organization.id, viewerId) : undefined;
  return { organization, role };
}

/** The account whose memberships count for what the caller sees; 0 for tokens without a scope to see them. */
export function membershipViewerId(caller: Caller): number {
  const maySee = caller.kind === 'user' && holdsAny(caller.scopes, ['read:org', 'repo', 'user']);
  return maySee ? callerAccountId(caller) : 0;
}

/** Like `loadVisibleOrganization`, for members only. */
export async function requireOrganizationMember(
  sql: Sql,
  caller: Caller,
  login: string,
): Promise<VisibleOrganization> {
  const seen = await loadVisibleOrganization(sql, caller, login);
  if (seen.role !== undefined) return seen;
  return refuse({
    kind: 'forbidden',
    message: `You must be a member of ${seen.organization.login} to see membership information for it.`,
  });
}

/** The organization whose owner the caller must be. */
export async function requireOrganizationOwner(
  sql: Sql,
  caller: Caller,
  login: string,
): Promise<Account> {
  const { organization, role } = await requireOrganizationMember(sql, caller, login);
  if (role === 'admin') return organization;
  return refuse({
    kind: 'forbidden',
    message: `You must be an owner of ${organization.login} to change it or its members.`,
  });
}

/** The user a path names, or 404. */
export async function getUser(sql: Sql, login: string): Promise<Account> {
  const user = await findAccount(sql, login);
  return user?.kind === 'user' ? user : notFound();
}
