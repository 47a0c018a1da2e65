import type { Sql } from '#platform/database/database.ts';

import type { UserCaller } from '../model/caller.ts';
import { holdsAny, type Scope } from '../model/scopes.ts';
import { permissionsIn, type ChangePolicy } from '../repositories/repository-access.ts';
import { notFound } from '../errors/api-error.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import type { Repository } from '../model/repository.ts';
import { findThread } from './notification-store.ts';
import type { NotificationThread } from '../model/notification.ts';

export const notificationScopes: readonly Scope[] = ['notifications', 'repo'];
export const acceptedForNotifications = 'notifications, repo';

/** Notification threads of an account that a list looks through, the latest; older ones are not shown. */
export const threadsMax = 1000;
/** The caller's own threads of a repository need read permission. `changes` requires a user. */
export const maySubscribe: ChangePolicy = {
  permission: 'read',
  changes: true,
  evenArchived: true,
  scopes: ['notifications'],
  withoutPublicRepo: true,
};

/** The user who requests threads of a repository; a token needs a scope even for a public repository. */
export function requireNotificationScope(caller: UserCaller): UserCaller {
  return holdsAny(caller.scopes, notificationScopes) ? caller : notFound();
}

export interface VisibleThread {
  readonly thread: NotificationThread;
  readonly repository: Repository;
}

/** The threads of repositories that the account may still read; after a loss of access they are hidden. */
export async function visibleThreads(
  sql: Sql,
  caller: UserCaller,
  threads: readonly NotificationThread[],
): Promise<VisibleThread[]> {
  const ids = new Set(threads.map((thread) => thread.repositoryId));
  const repositories = await repositoriesById(sql, ids);
  // The `notifications` scope is enough: the permission of the account counts, not the scopes of the token.
  const account: UserCaller = { ...caller, scopes: 'password' };
  const permissions = await permissionsIn(sql, account, ids);
  return threads.flatMap((thread) => {
    const repository = repositories.get(thread.repositoryId);
    const may = permissions.get(thread.repositoryId) ?? 'none';
    return repository && may !== 'none' ? [{ thread, repository }] : [];
  });
}

/** The caller's own thread of that id, or 404. */
export async function getThread(sql: Sql, caller: UserCaller, id: number): Promise<VisibleThread> {
  const thread = await findThread(sql, caller.account.id, id);
  const [visible] = thread ? await visibleThreads(sql, caller, [thread]) : [];
  return visible ?? notFound();
}
