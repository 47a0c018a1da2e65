import type { Sql } from '#platform/database/database.ts';

import { type Caller, callerAccountId } from '../model/caller.ts';
import { holdsAny } from '../model/scopes.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import { findAccount, memberRole } from './account-store.ts';
import type { Account, OrganizationRole } from '../model/account.ts';

export interface SeenOrganization {
  readonly organization: Account;
  /** The caller's role; undefined for non-members, and for tokens without a scope to see it. */
  readonly role: OrganizationRole | undefined;
}

/** The organization of a path with the caller's role in it, or 404. */
export async function seeOrganization(
  sql: Sql,
  caller: Caller,
  login: string,
): Promise<SeenOrganization> {
  const organization = await findAccount(sql, login);
  if (organization?.kind !== 'organization') return notFound();
  const maySeePrivate =
    caller.kind === 'user' && holdsAny(caller.scopes, ['read:org', 'repo', 'user']);
  const role = maySeePrivate
    ? await memberRole(sql, organization.id, callerAccountId(caller))
    : undefined;
  return { organization, role };
}

/** Like `seeOrganization`, for members only. */
export async function enterOrganization(
  sql: Sql,
  caller: Caller,
  login: string,
): Promise<SeenOrganization> {
  const seen = await seeOrganization(sql, caller, login);
  if (seen.role !== undefined) return seen;
  return refuse({
    kind: 'forbidden',
    message: `You must be a member of ${seen.organization.login} to see membership information for it.`,
  });
}

/** The organization whose owner the caller must be. */
export async function ownOrganization(sql: Sql, caller: Caller, login: string): Promise<Account> {
  const { organization, role } = await enterOrganization(sql, caller, login);
  if (role === 'admin') return organization;
  return refuse({
    kind: 'forbidden',
    message: `You must be an owner of ${organization.login} to change its members.`,
  });
}

/** The user a path names, or 404. */
export async function userOfPath(sql: Sql, login: string): Promise<Account> {
  const user = await findAccount(sql, login);
  return user?.kind === 'user' ? user : notFound();
}
