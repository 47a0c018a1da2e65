import { notFound, refuse } from '../errors/api-error.ts';
import { writeRepository } from '../events/invalidate.ts';
import type { UserCaller } from '../model/caller.ts';
import type { MinimizedReason } from '../model/minimized.ts';
import { atLeast, type Permission } from '../model/permission.ts';
import type { Ports } from '../ports/ports.ts';
import { permissionIn } from '../repositories/repository-access.ts';
import { type MinimizableType, setMinimized } from './minimize-store.ts';

/** As on GitHub: triage can hide any comment. */
export function mayMinimize(permission: Permission): boolean {
  return atLeast(permission, 'triage');
}

/** Hides a comment or review for a reason; null: shows it again. Repeating it has no effect. */
export async function minimizeComment(
  { database }: Pick<Ports, 'database'>,
  request: {
    readonly repositoryId: number;
    readonly type: MinimizableType;
    readonly id: number;
    readonly reason: MinimizedReason | null;
    readonly caller: UserCaller;
  },
): Promise<void> {
  const { repositoryId, caller } = request;
  await writeRepository(database, repositoryId, async (sql) => {
    const permission = await permissionIn(sql, caller, repositoryId, true);
    if (!mayMinimize(permission)) {
      const message = `${caller.account.login} does not have permission to hide this comment.`;
      refuse({ kind: 'forbidden', message });
    }
    if (!(await setMinimized(sql, request, request.reason))) notFound();
  });
}
