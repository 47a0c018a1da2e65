import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { namesIn } from '#platform/absent-files.ts';

import type { RepositoryPaths } from '../commands/repository-paths.ts';

/** What a crash left behind. */
export interface StaleGitState {
  /**
   * Repositories that were being written to. Only those are checked, so that a start takes no longer with thousands of
   * repositories.
   */
  readonly ids: readonly number[];
  /** Folders and files of interrupted creations and deletions. New ones get other names. */
  readonly abandoned: readonly string[];
}

/** Runs before anything else touches the repositories, and reads only, so that it is fast. */
export async function findStaleGitState(paths: RepositoryPaths): Promise<StaleGitState> {
  for (const directory of [paths.arriving, paths.leaving, paths.busy]) {
    await mkdir(directory, { recursive: true });
  }
  const markers = await readdir(paths.busy);
  const abandoned = [paths.arriving, paths.leaving].map(async (directory) =>
    (await readdir(directory)).map((name) => join(directory, name)),
  );
  return {
    ids: markers.filter((name) => /^\d+$/.test(name)).map(Number),
    abandoned: (await Promise.all(abandoned)).flat(),
  };
}

export async function removeAbandoned({ abandoned }: StaleGitState): Promise<void> {
  for (const path of abandoned) await rm(path, { recursive: true, force: true });
}

/** The repository has been recovered. */
export async function removeBusyMarker(paths: RepositoryPaths, id: number): Promise<void> {
  await rm(join(paths.busy, String(id)), { force: true });
}

/** Removes locks and unfinished files of dead writers. There must be no running writer. */
export async function removeStaleFiles(repository: string): Promise<void> {
  await removeMatching(repository, /\.(?:lock|new)$|^gc\.pid$/);
  await removeMatching(join(repository, 'refs'), /\.lock$/, true);
  const objects = join(repository, 'objects');
  await removeMatching(objects, /^(?:tmp_objdir-|incoming-)/);
  await removeMatching(join(objects, 'pack'), /^(?:tmp_|\.tmp-)|\.lock$/);
  await removeMatching(join(objects, 'info'), /^tmp_|\.lock$/, true);
  for (const folder of await namesIn(objects)) {
    if (/^[0-9a-f]{2}$/.test(folder)) await removeMatching(join(objects, folder), /^tmp_obj_/);
  }
}

async function removeMatching(directory: string, name: RegExp, below = false): Promise<void> {
  for (const path of await namesIn(directory, below)) {
    const last = path.slice(path.lastIndexOf('/') + 1);
    if (name.test(last)) await rm(join(directory, path), { recursive: true, force: true });
  }
}
