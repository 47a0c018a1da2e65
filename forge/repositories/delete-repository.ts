import type { Ports } from '../ports/ports.ts';
import { writeRepository } from '../events/invalidate.ts';
import { purgeRepository } from './purge-repository.ts';
import { closeCrossRepositoryPulls, reparentForks } from './fork-network-store.ts';
import { markDeleting } from './repository-life-store.ts';
import { type Repository } from '../model/repository.ts';

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
