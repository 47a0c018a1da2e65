import { writeRepository } from '../events/invalidate.ts';
import { deleteSomeObjects } from '../large-files/lfs-object-store.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { enqueueDeletionEvent } from './deletion-event-store.ts';
import { closeCrossRepositoryPulls, reparentForks } from './fork-network-store.ts';
import { markDeleting, deleteRepositoryRow } from './repository-life-store.ts';

/** Deletes a repository permanently. Its forks get another parent; pulls from it are closed but stay readable. */
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
 * Deletes a repository from both stores: first it becomes hidden and its name free, then git is removed, then the row, after
 * its webhooks were notified. The next start removes what a crash or failure leaves (docs/reliability.md, C19).
 */
export async function purgeRepository(
  ports: Pick<Ports, 'database' | 'git'>,
  repositoryId: number,
  /** Who deleted it and when; set for repositories that were visible, whose webhooks are notified. */
  deletionEvent?: { readonly actorId: number | null; readonly now: number },
): Promise<void> {
  await writeRepository(ports.database, repositoryId, (sql) => markDeleting(sql, repositoryId));
  await ports.git.remove(repositoryId);
  await removeObjects(ports, repositoryId);
  await writeRepository(ports.database, repositoryId, async (sql) => {
    if (
      deletionEvent &&
      (await enqueueDeletionEvent(sql, repositoryId, deletionEvent.actorId, deletionEvent.now))
    )
      return;
    await deleteRepositoryRow(sql, repositoryId);
  });
}

/** Of one transaction, so that a deletion of many holds up other requests. */
const removedMax = 1000;

async function removeObjects(
  { database }: Pick<Ports, 'database'>,
  repositoryId: number,
): Promise<void> {
  const some = (): Promise<number> =>
    database.write((sql) => deleteSomeObjects(sql, repositoryId, removedMax));
  while ((await some()) === removedMax);
}
