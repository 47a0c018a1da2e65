import { notFound, refuse } from '../errors/api-error.ts';
import { writeRepository } from '../events/invalidate.ts';
import type { UserCaller } from '../model/caller.ts';
import { atLeast, type Permission } from '../model/permission.ts';
import type { Pull } from '../model/pull.ts';
import type { Ports } from '../ports/ports.ts';
import { permissionIn, type RepositoryAccess } from '../repositories/repository-access.ts';
import { reviewCommentsById, setResolution } from './review-comment-store.ts';

interface Resolution {
  readonly access: RepositoryAccess;
  readonly pull: Pull;
  /** The comment that began the thread. */
  readonly rootId: number;
  readonly caller: UserCaller;
  readonly resolved: boolean;
  readonly now: number;
}

/** The author of a pull and users who may push resolve and unresolve a thread. */
export function mayResolve(caller: UserCaller, pull: Pull, permission: Permission): boolean {
  return pull.authorId === caller.account.id || atLeast(permission, 'write');
}

/** Marks a thread as resolved, or as not. Repeating it has no effect, and keeps who was first. */
export async function resolveThread(
  { database }: Pick<Ports, 'database'>,
  { access, pull, rootId, caller, resolved, now }: Resolution,
): Promise<void> {
  const { repository } = access;
  await writeRepository(database, repository.id, async (sql) => {
    const permission = await permissionIn(sql, caller, repository.id, true);
    if (!mayResolve(caller, pull, permission)) {
      const message = `${caller.account.login} does not have permission to resolve this thread.`;
      refuse({ kind: 'forbidden', message });
    }
    const [root] = await reviewCommentsById(sql, [rootId]);
    if (!root) return notFound();
    if ((root.resolved !== undefined) === resolved) return;
    const resolution = resolved ? { byId: caller.account.id, at: now } : undefined;
    await setResolution(sql, rootId, resolution);
  });
}
