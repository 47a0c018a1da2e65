import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { isAbsent } from '#platform/absent-files.ts';
import { isDiskFull } from '#platform/disk-space.ts';
import { systemRandom } from '#platform/random.ts';

import { exists } from '../commands/durability.ts';
import { copyEnvironment, copyLimits } from './fetch-objects.ts';
import {
  dropBatchProcesses,
  gitDirectory,
  runIn,
  requireRepository,
} from '../commands/git-directory.ts';
import type { GitDirectory, GitProcessState } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import { type BranchName, branchRef } from '../names.ts';
/** All that a repository's own file says; everything else comes with each command. */
const configuration = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
`;

/** What a repository has without a commit (gitrepository-layout(5)). */
const emptyFolders = ['objects/pack', 'refs/heads', 'refs/tags'] as const;

/**
 * Creates an empty repository. It is built in a temporary directory and renamed to its final path when complete, so that a
 * crash leaves no partial repository there. `git init` would write the same: to start it takes longer than all the rest.
 */
export async function initRepository(
  state: GitProcessState,
  id: number,
  defaultBranch: BranchName,
): Promise<void> {
  await makeAside(state, id, async (path) => {
    for (const folder of emptyFolders) await mkdir(join(path, folder), { recursive: true });
    await writeFile(join(path, 'HEAD'), `ref: ${branchRef(defaultBranch)}\n`);
  });
}

/**
 * Copies branches and tags, and the objects they need, through git's own transfer: nothing else
 * comes along.
 */
export async function copyToFork(
  state: GitProcessState,
  sourceId: number,
  id: number,
  defaultBranch: BranchName,
): Promise<void> {
  const source = gitDirectory(state, sourceId);
  await requireRepository(source);
  await makeAside(state, id, async (path) => {
    await state.runner.run({
      arguments: [
        'clone',
        '--quiet',
        '--bare',
        '--no-local',
        '--template=',
        '--',
        source.path,
        path,
      ],
      limits: copyLimits,
      environment: copyEnvironment,
    });
    await runIn({ id, path, state }, ['symbolic-ref', 'HEAD', `refs/heads/${defaultBranch}`]);
  });
}

/**
 * Removes a repository: renames it away from its path at once, then deletes its files. One that is being made, for a server that is gone, is
 * removed once it is there.
 */
export async function removeRepository(state: GitProcessState, id: number): Promise<void> {
  state.creations.remove(id);
  const directory = gitDirectory(state, id);
  const { path } = directory;
  const leaving = join(state.paths.leaving, systemRandom.id());
  try {
    await rename(path, leaving);
  } catch (error) {
    if (isAbsent(error)) return;
    throw error;
  }
  await state.durability.sync(dirname(path));
  await dropBatchProcesses(directory);
  // A push that is arriving writes on into folders that are being removed, until git notices.
  await rm(leaving, { recursive: true, force: true, maxRetries: 10 });
}

function makeAside(
  state: GitProcessState,
  id: number,
  make: (path: string) => Promise<unknown>,
): Promise<void> {
  return state.creations.during(id, async (creation) => {
    await makeAndInstall(state, id, make);
    if (!creation.isRemoved) return;
    await removeRepository(state, id);
    throw new GitError('missing-repository', 'The repository was removed while it was made.');
  });
}

async function makeAndInstall(
  state: GitProcessState,
  id: number,
  make: (path: string) => Promise<unknown>,
): Promise<void> {
  const { path } = gitDirectory(state, id);
  if (await exists(path)) return;
  const arriving = join(state.paths.arriving, `${systemRandom.id()}.git`);
  try {
    await make(arriving);
    await writeFile(join(arriving, 'config'), configuration);
    await mkdir(join(arriving, 'objects', 'info'), { recursive: true });
    await syncNewRepository({ id, path: arriving, state });
    await installRepository(state, arriving, path);
  } catch (error) {
    if (!(await isDiskFull(state.paths.arriving))) throw error;
    throw new GitError('disk-full', 'No space left on the disk for a new repository.', {
      cause: error,
    });
  } finally {
    await rm(arriving, { recursive: true, force: true });
  }
}

async function installRepository(
  state: GitProcessState,
  arriving: string,
  path: string,
): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  try {
    await rename(arriving, path);
  } catch (error) {
    // Another request may have created it meanwhile, which has the same result.
    if (!(await exists(path))) throw error;
  }
  await state.durability.sync(folder);
  await state.durability.sync(dirname(folder));
}

async function syncNewRepository({ path, state }: GitDirectory): Promise<void> {
  const inside = await readdir(path, { recursive: true, withFileTypes: true });
  // git has synced the objects themselves.
  const files = inside.filter((entry) => entry.isFile() && entry.parentPath === path);
  const folders = inside.filter((entry) => entry.isDirectory());
  for (const entry of [...files, ...folders.toReversed()]) {
    await state.durability.sync(join(entry.parentPath, entry.name));
  }
  await state.durability.sync(path);
}
