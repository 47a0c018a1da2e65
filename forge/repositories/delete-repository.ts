import type { Ports } from '../ports.ts';
import { cutPulls, passOnForks } from './network-store.ts';
import { deleteRepositoryRow, markDeleting } from './repository-life-store.ts';
import { type Repository, repositoryLane } from './repository.ts';

/**
 * Removes a repository for good. From the first transaction on nobody sees it; then git, then the row goes. A crash
 * between them leaves a row in `deleting`, which the next start removes with its code (crash matrix).
 */
export async function deleteRepository(
  ports: Pick<Ports, 'database' | 'git'>,
  repository: Repository,
  now: number,
): Promise<void> {
  const lane = repositoryLane(repository.id);
  await ports.database.write(
    async (sql) => {
      await passOnForks(sql, repository);
      await cutPulls(sql, repository.id, 'from', now);
      await markDeleting(sql, repository.id);
    },
    { lane },
  );
  await ports.git.remove(repository.id);
  await ports.database.write((sql) => deleteRepositoryRow(sql, repository.id), { lane });
}
