import type { Sql } from '#platform/database/database.ts';

import { findInstallationGrant } from '../auth/apps/installation-store.ts';
import { refuse, refuseIntegration } from '../errors/api-error.ts';
import {
  coversRepository,
  includesAny,
  type InstallationGrant,
  type RequiredPermission,
} from '../model/app.ts';
import { type Caller, callerAccountId, isInstallation, type UserCaller } from '../model/caller.ts';
import { atLeast, type GrantedPermission, highest, type Permission } from '../model/permission.ts';
import type { Repository } from '../model/repository.ts';
import { holdsAny, type Scope } from '../model/scopes.ts';
import {
  locateAll,
  locateById,
  locateByName,
  type LocatedRepository,
  locateRedirect,
} from '../permissions/access-store.ts';
import { repositoriesById } from './repository-store.ts';

/** The access that an endpoint requires in a repository. Declared by the endpoint, enforced here for users and tokens. */
export interface RepositoryPolicy {
  readonly permission: GrantedPermission;
  /** Whether it is a write: refused on archived repositories, and a token needs a scope even for public ones. */
  readonly changes: boolean;
  /** The 403 message for a caller who may read but lacks the permission; without it the response is 404. */
  readonly refusal?: string;
  /** Allows changes of archived repositories; the endpoint itself decides which. */
  readonly evenArchived?: true;
  /** Scopes that are accepted instead of `repo` (and of `public_repo` for public repositories). */
  readonly scopes?: readonly Scope[];
  /** `public_repo` is not accepted even for public repositories, because the data is private to the caller. */
  readonly withoutPublicRepo?: true;
}

/** Operations for users only: other callers get 401 before the endpoint runs. */
export interface ChangePolicy extends RepositoryPolicy {
  readonly changes: true;
}

export const adminRefusal = 'Must have admin rights to Repository.';

export const mayRead: RepositoryPolicy = { permission: 'read', changes: false };

export const mayPush: ChangePolicy = { permission: 'write', changes: true };

export const mayAdminister: ChangePolicy = {
  permission: 'admin',
  changes: true,
  refusal: adminRefusal,
};

/** How a request names a repository: by its owner's login and its name, or by id in the canonical URLs. */
export type RepositoryLocator =
  | { readonly owner: string; readonly name: string }
  | { readonly id: number };

/** A repository in which the caller has the required permission. */
export interface RepositoryAccess {
  readonly repository: Repository;
  readonly permission: Permission;
}

/** The decision; the repository itself is not loaded yet. */
export interface RepositoryAuthorization {
  readonly repositoryId: number;
  readonly permission: Permission;
  readonly networkId: number;
}

/**
 * Checks that the caller has the required access, or refuses: with 404 if the repository does not exist or the caller may
 * not know of it, with 401 where anonymous users must sign in, otherwise with 403 and a reason. A repository that has moved is a redirect. `required` are the permissions for an installation token, any of which is
 * enough.
 */
export async function authorizeRepository(
  sql: Sql,
  caller: Caller,
  locator: RepositoryLocator,
  policy: RepositoryPolicy,
  required: readonly RequiredPermission[] = usualPermissions(policy),
): Promise<RepositoryAuthorization> {
  const located = await locate(sql, caller, locator);
  if (!located) return refuseAbsent(sql, caller, locator);
  if (isInstallation(caller)) {
    // Operations that change something authorize again in their transactions: by then the App may have been uninstalled or have lost the repository.
    const { token } = caller.installation;
    const current = policy.changes ? await findInstallationGrant(sql, token) : caller;
    if (!current) return refuse({ kind: 'bad-credentials' });
    return authorizeInstallation(located, current.installation, policy, required);
  }
  const permission = permissionOf(located, caller, policy);
  if (!atLeast(permission, 'read')) return refuse({ kind: 'not-found' });
  if (!atLeast(permission, policy.permission)) return refuseDenied(caller, policy);
  // Checked before the body is read: only users may change anything, even if read permission is enough.
  if (policy.changes && caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
  // Reading public data needs no scope, but changes that require only read permission need one.
  if (policy.changes && !hasScopeFor(caller, located, policy)) return refuseDenied(caller, policy);
  if (policy.changes && located.archived && policy.evenArchived !== true) {
    return refuseArchived();
  }
  const { id: repositoryId, networkId } = located;
  return { repositoryId, permission, networkId };
}

/**
 * An installation token has no role, but permissions in some repositories. Anybody may read public ones, except what is
 * private to the caller.
 */
function authorizeInstallation(
  located: LocatedRepository,
  installation: InstallationGrant,
  policy: RepositoryPolicy,
  required: readonly RequiredPermission[],
): RepositoryAuthorization {
  const covered = coversRepository(installation, located);
  if (!covered && located.private) return refuse({ kind: 'not-found' });
  const open =
    !located.private &&
    !policy.changes &&
    policy.permission === 'read' &&
    policy.withoutPublicRepo !== true;
  const granted = covered && includesAny(installation.permissions, required);
  if (!open && !granted) return refuseIntegration();
  if (policy.changes && located.archived && policy.evenArchived !== true) return refuseArchived();
  const { id: repositoryId, networkId } = located;
  const level = installationLevel(located, installation, policy.changes);
  return {
    repositoryId,
    permission: granted ? highest(level, policy.permission) : level,
    networkId,
  };
}

/** For git and for what an operation does in a second repository. */
function usualPermissions({
  permission,
  changes,
}: RepositoryPolicy): readonly RequiredPermission[] {
  if (permission === 'admin') return [['administration', 'write']];
  return [['contents', changes ? 'write' : 'read']];
}

/**
 * What an installation has in a repository apart from a certain operation: push access is that of code; operations on issues and
 * pulls, whose permission was decided, also count the other two.
 */
function installationLevel(
  located: LocatedRepository,
  installation: InstallationGrant,
  countsIssues: boolean,
): Permission {
  if (!coversRepository(installation, located)) return located.private ? 'none' : 'read';
  const names = countsIssues
    ? (['contents', 'issues', 'pull_requests'] as const)
    : (['contents'] as const);
  const writes = includesAny(
    installation.permissions,
    names.map((name) => [name, 'write']),
  );
  return writes ? 'write' : 'read';
}

export function refuseArchived(): never {
  return refuse({ kind: 'forbidden', message: 'Repository was archived so is read-only.' });
}

/** Loads the repository of an authorization. */
export async function loadRepository(
  sql: Sql,
  authorization: RepositoryAuthorization,
): Promise<RepositoryAccess> {
  const found = await repositoriesById(sql, [authorization.repositoryId]);
  const repository = found.get(authorization.repositoryId);
  if (!repository) return refuse({ kind: 'not-found' });
  return { repository, permission: authorization.permission };
}

/**
 * The caller's permission in a repository, `none` if it does not exist or is hidden; for endpoints that use a second
 * repository. With `changes`, limited to what its token may write. An installation writes with its permission for contents.
 */
export async function permissionIn(
  sql: Sql,
  caller: Caller,
  repositoryId: number,
  changes = false,
): Promise<Permission> {
  const located = await locate(sql, caller, { id: repositoryId });
  return located ? permissionOf(located, caller, { ...mayRead, changes }) : 'none';
}

/** The same for issues and pulls, which an installation changes with permissions of their own. */
export async function issuePermissionIn(
  sql: Sql,
  caller: UserCaller,
  repositoryId: number,
): Promise<Permission> {
  if (!caller.installation) return permissionIn(sql, caller, repositoryId, true);
  const located = await locate(sql, caller, { id: repositoryId });
  return located ? installationLevel(located, caller.installation, true) : 'none';
}

/** Like `permissionIn`, for several repositories in one statement. */
export async function permissionsIn(
  sql: Sql,
  caller: Caller,
  repositoryIds: Iterable<number>,
): Promise<Map<number, Permission>> {
  const located = await locateAll(sql, repositoryIds, callerAccountId(caller));
  return new Map(located.map((each) => [each.id, permissionOf(each, caller, mayRead)]));
}

/** The permission of an account, without the limits of its credentials. */
export async function accountPermissionIn(
  sql: Sql,
  accountId: number,
  repositoryId: number,
): Promise<Permission> {
  const located = await locateById(sql, repositoryId, accountId);
  return located ? permissionLevel(located, accountId) : 'none';
}

function locate(
  sql: Sql,
  caller: Caller,
  locator: RepositoryLocator,
): Promise<LocatedRepository | undefined> {
  const accountId = callerAccountId(caller);
  return 'id' in locator
    ? locateById(sql, locator.id, accountId)
    : locateByName(sql, locator.owner, locator.name, accountId);
}

/** The permission from ownership, membership, teams, collaboration and visibility, limited by the scopes of the token. */
function permissionOf(
  located: LocatedRepository,
  caller: Caller,
  policy: RepositoryPolicy,
): Permission {
  if (caller.kind !== 'user') return located.private ? 'none' : 'read';
  if (caller.installation) return installationLevel(located, caller.installation, false);
  const full = permissionLevel(located, caller.account.id);
  if (!located.private && !policy.changes) return full;
  if (hasScopeFor(caller, located, policy)) return full;
  return located.private ? 'none' : 'read';
}

/** Whether the caller's token has a scope for more than public data. */
function hasScopeFor(
  caller: Caller,
  located: LocatedRepository,
  policy: RepositoryPolicy,
): boolean {
  if (caller.kind !== 'user') return false;
  const accepted: readonly Scope[] = ['repo', ...(policy.scopes ?? [])];
  const narrow = located.private || policy.withoutPublicRepo === true;
  return holdsAny(caller.scopes, narrow ? accepted : [...accepted, 'public_repo']);
}

function permissionLevel(located: LocatedRepository, accountId: number): Permission {
  if (located.ownerId === accountId) return 'admin';
  return highest(
    located.private ? 'none' : 'read',
    located.memberRole === 'admin' ? 'admin' : 'none',
    located.memberRole === 'member' ? 'read' : 'none',
    located.collaboratorPermission ?? 'none',
    located.teamPermission,
  );
}

async function refuseAbsent(sql: Sql, caller: Caller, locator: RepositoryLocator): Promise<never> {
  if ('owner' in locator) {
    const movedTo = await locateRedirect(sql, locator.owner, locator.name);
    if (movedTo !== undefined && atLeast(await permissionIn(sql, caller, movedTo), 'read')) {
      return refuse({ kind: 'moved', repositoryId: movedTo });
    }
  }
  return refuse({ kind: 'not-found' });
}

function refuseDenied(caller: Caller, policy: RepositoryPolicy): never {
  if (policy.refusal === undefined) return refuse({ kind: 'not-found' });
  if (caller.kind === 'anonymous') return refuse({ kind: 'requires-authentication' });
  return refuse({ kind: 'forbidden', message: policy.refusal });
}

/** Read permission is enough to open issues and to comment; further conditions depend on the issue. */
export const mayComment: ChangePolicy = { ...mayRead, changes: true };

/** The triage permission: labels, assignees, milestones and states of issues. */
export const mayTriage: ChangePolicy = { permission: 'triage', changes: true };
