import { writeRepository } from '../events/invalidate.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { enqueueDeletionEvent } from './deletion-event-store.ts';
import { closeCrossRepositoryPulls, reparentForks } from './fork-network-store.ts';
import { markDeleting, deleteRepositoryRow } from './repository-life-store.ts';

/** Removes a repository for good. Its forks get another parent, and pulls from it are closed but stay readable. */
export async function deleteRepository(
  ports: Pick<Ports, 'database' | 'git'>,
  repository: Repository,
  { actorId, now }: { readonly actorId: number; readonly now: number },
): Promise<void> {
  await writeRepository(ports.database, repository.id, async (sql) => {
    await reparentForks(sql, repository);
    await closeCrossRepositoryPulls(sql, repository.id, 'from', now);
    await markDeleting(sql, repository.id);
  });
  await purgeRepository(ports, repository.id, { actorId, now });
}

/**
 * Removes a repository from both stores: out of sight and without its name first, then git, then the row, which waits
 * until its webhooks were told. What a crash or a failure leaves is removed at the next start (crash matrix).
 */
export async function purgeRepository(
  ports: Pick<Ports, 'database' | 'git'>,
  repositoryId: number,
  /** Who deleted it and when: webhooks are told of what had been there for everybody. */
  deletionEvent?: { readonly actorId: number | null; readonly now: number },
): Promise<void> {
  await writeRepository(ports.database, repositoryId, (sql) => markDeleting(sql, repositoryId));
  await ports.git.remove(repositoryId);
  await writeRepository(ports.database, repositoryId, async (sql) => {
    if (
      deletionEvent &&
      (await enqueueDeletionEvent(sql, repositoryId, deletionEvent.actorId, deletionEvent.now))
    )
      return;
    await deleteRepositoryRow(sql, repositoryId);
  });
}
