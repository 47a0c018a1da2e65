import type { Ports } from '../ports/ports.ts';
import { writeRepository } from '../events/invalidate.ts';
import { enqueueDeletionEvent } from './deletion-event-store.ts';
import { deleteRepositoryRow, markDeleting } from './repository-life-store.ts';

/**
 * Removes a repository from both stores: out of sight and without its name first, then git, then the row, which waits
 * until its webhooks were told. What a crash or a failure leaves is removed at the next start (crash matrix).
 */
export async function purgeRepository(
  ports: Pick<Ports, 'database' | 'git'>,
  repositoryId: number,
  /** Who deleted it and when: webhooks are told of what had been there for everybody. */
  farewell?: { readonly actorId: number | null; readonly now: number },
): Promise<void> {
  await writeRepository(ports.database, repositoryId, (sql) => markDeleting(sql, repositoryId));
  await ports.git.remove(repositoryId);
  await writeRepository(ports.database, repositoryId, async (sql) => {
    if (farewell && (await enqueueDeletionEvent(sql, repositoryId, farewell.actorId, farewell.now)))
      return;
    await deleteRepositoryRow(sql, repositoryId);
  });
}
