import { access } from 'node:fs/promises';
import { join } from 'node:path';

import { isAbsent } from '#platform/absent-files.ts';
import type { PendingWork } from '#platform/pending-work.ts';

import type { Creations } from './creations.ts';
import type { MoveLock } from './move-lock.ts';
import { GitError } from '../git-error.ts';
import type { CatFilePool } from './cat-file.ts';
import type { DirtyRepositories } from './dirty-repositories.ts';
import type { Durability } from './durability.ts';
import type { QuarantinePool } from './quarantine-pool.ts';
import type { RefMovesUnderWay } from './ref-moves.ts';
import type { RepositoryPaths } from './repository-paths.ts';
import type { CollectedCommand, GitOutput, GitRunner } from './run-git.ts';
import type { UpdateRefPool } from './update-ref.ts';

/** What all repositories share. */
export interface GitProcessState {
  readonly paths: RepositoryPaths;
  readonly runner: GitRunner;
  readonly durability: Durability;
  readonly dirty: DirtyRepositories;
  readonly catFiles: CatFilePool;
  readonly quarantines: QuarantinePool;
  /** Whether `merge-tree --stdin` answers at once on this host (repository/merge-probe.ts). */
  readonly longLivedMerges: () => Promise<boolean>;
  readonly updateRefs: UpdateRefPool;
  readonly refMoves: RefMovesUnderWay;
  readonly creations: Creations;
  /** What is to be done in a repository that a crash interrupted, before anything else is. */
  readonly recovery: PendingWork;
  /** Holds calls back while a repository moves to another shard. */
  readonly moveLock: MoveLock;
}

/**
 * One bare repository on disk: what the files of forge/git/repository/, one for each concept of git, work on.
 */
export interface GitDirectory {
  readonly id: number;
  readonly path: string;
  readonly state: GitProcessState;
}

export function gitDirectory(state: GitProcessState, id: number): GitDirectory {
  return { id, path: state.paths.repository(id), state };
}

/** Runs a git command in the repository. */
export function runIn(
  directory: GitDirectory,
  parts: readonly string[],
  more: Omit<CollectedCommand, 'arguments' | 'repositoryPath'> = {},
): Promise<GitOutput> {
  return directory.state.runner.run({ ...more, arguments: parts, repositoryPath: directory.path });
}

/** Runs a piece of work that writes to the repository, which has a marker on disk meanwhile: after a crash it is recovered. */
export function whileMarkedDirty<T>(directory: GitDirectory, work: () => Promise<T>): Promise<T> {
  return directory.state.dirty.during(directory.id, work);
}

/** Ends the repository's batch processes at once, because it goes away. */
export async function dropBatchProcesses({ id, state }: GitDirectory): Promise<void> {
  await Promise.all([
    state.catFiles.drop(id),
    state.quarantines.drop(id),
    state.updateRefs.drop(id),
  ]);
}

/** Lets the repository's batch processes end, because it was rewritten under them. */
export function retireBatchProcesses({ id, state }: GitDirectory): void {
  for (const pool of [state.catFiles, state.quarantines, state.updateRefs]) pool.retire(id);
}

export async function requireRepository({ path }: Pick<GitDirectory, 'path'>): Promise<void> {
  try {
    await access(join(path, 'HEAD'));
  } catch (cause) {
    // A disk that fails says nothing about what is on it.
    if (!isAbsent(cause)) throw cause;
    throw new GitError('missing-repository', `No repository at ${path}.`, { cause });
  }
}

/** Makes new packs durable: git has synced the files, and this syncs their names. */
export async function syncPacks(directory: GitDirectory): Promise<void> {
  await directory.state.durability.sync(join(directory.path, 'objects', 'pack'));
}
