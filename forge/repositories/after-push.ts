import type { Sql } from '#platform/database/database.ts';

import { GitError } from '../git/git-error.ts';
import type { Git, RepositorySize } from '../git/git.ts';
import { objectKibibytes } from '../large-files/lfs-object-store.ts';
import { inRepositoryQueue } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { invalidateRepository } from '../events/invalidate.ts';
import { maintenanceDueAt } from './maintenance.ts';
import { dueMaintenance } from './maintenance-store.ts';
import { repositoriesById, setRepositorySize } from './repository-store.ts';

/** Measures the size of a repository in the background and schedules its maintenance. */
export function measureSize(
  ports: Pick<Ports, 'background' | 'clock' | 'database' | 'git'>,
  repositoryId: number,
): void {
  ports.background.run(`size of repository ${repositoryId}`, async () => {
    const size = await sizeUnlessGone(ports.git, repositoryId);
    if (size === undefined) return;
    const now = ports.clock.now();
    await ports.database.write(async (sql) => {
      await recordSize(sql, repositoryId, size);
      await dueMaintenance(sql, repositoryId, (at) => maintenanceDueAt(size, at, now));
    }, inRepositoryQueue(repositoryId));
  });
}

/** git and Git LFS. Writes nothing if the size is unchanged, which is the usual case. */
export async function recordSize(
  sql: Sql,
  repositoryId: number,
  { kibibytes }: RepositorySize,
): Promise<void> {
  const repository = (await repositoriesById(sql, [repositoryId])).get(repositoryId);
  const total = kibibytes + (await objectKibibytes(sql, repositoryId));
  if (!repository || repository.sizeKibibytes === total) return;
  await setRepositorySize(await invalidateRepository(sql, repositoryId), repositoryId, total);
}

async function sizeUnlessGone(git: Git, repositoryId: number): Promise<RepositorySize | undefined> {
  try {
    return await git.repository(repositoryId).size();
  } catch (error) {
    // The repository may have been deleted since, so its size no longer matters.
    if (error instanceof GitError && error.kind === 'missing-repository') return undefined;
    throw error;
  }
}
