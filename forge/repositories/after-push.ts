import type { Sql } from '#platform/database/database.ts';

import { GitError } from '../git/git-error.ts';
import type { Git, RepositorySize } from '../git/git.ts';
import { branchOf, branchRef, noObject, parseBranchName } from '../git/names.ts';
import { objectKibibytes } from '../large-files/lfs-object-store.ts';
import { repositoryQueue } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { invalidateRepository, writeRepository } from '../events/invalidate.ts';
import { maintenanceDueAt } from './maintenance.ts';
import { dueMaintenance } from './maintenance-store.ts';
import { repositoriesById, setDefaultBranch, setRepositorySize } from './repository-store.ts';
import type { RefMove } from '../git/ref-update.ts';

/** Measures the size of a repository in the background and schedules its maintenance. */
export function measureSize(
  ports: Pick<Ports, 'background' | 'clock' | 'database' | 'git'>,
  repositoryId: number,
): void {
  ports.background.run(`size of repository ${repositoryId}`, async () => {
    const size = await sizeUnlessGone(ports.git, repositoryId);
    if (size === undefined) return;
    const now = ports.clock.now();
    await ports.database.write(
      async (sql) => {
        await recordSize(sql, repositoryId, size);
        await dueMaintenance(sql, repositoryId, (at) => maintenanceDueAt(size, at, now));
      },
      { queue: repositoryQueue(repositoryId) },
    );
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

/**
 * The first branch of an empty repository becomes the default branch if the configured one does not exist, so that a clone
 * can check out files.
 */
export async function adoptFirstBranch(
  ports: Ports,
  repositoryId: number,
  moves: readonly RefMove[],
): Promise<void> {
  const created = moves.flatMap(({ old, ref }) => (old === noObject ? (branchOf(ref) ?? []) : []));
  const first = created.find((name) => /(?:^|\/)(?:main|master)$/.test(name)) ?? created[0];
  if (first === undefined) return;
  const found = await ports.database.read((sql) => repositoriesById(sql, [repositoryId]));
  const current = parseBranchName(found.get(repositoryId)?.defaultBranch ?? '');
  const git = ports.git.repository(repositoryId);
  if (!current || (await git.readRef(branchRef(current)))) return;
  const branch = parseBranchName(first);
  if (!branch) return;
  await git.setHead(branch);
  await writeRepository(ports.database, repositoryId, (sql) =>
    setDefaultBranch(sql, repositoryId, branch),
  );
}
