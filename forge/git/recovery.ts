import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { isAbsent } from './durability.ts';
import type { RepositoryPaths } from './repository-paths.ts';

/**
 * Clears what a crash left behind; runs before anything else touches the repositories (reliability
 * G22). Only those that were being written to are looked at, so that a start takes no longer with
 * thousands of repositories. Gives their ids.
 */
export async function recoverRepositories(paths: RepositoryPaths): Promise<number[]> {
  for (const directory of [paths.arriving, paths.leaving, paths.busy]) {
    await mkdir(directory, { recursive: true });
  }
  const markers = await readdir(paths.busy);
  const ids = markers.filter((name) => /^\d+$/.test(name)).map(Number);
  for (const id of ids) {
    await removeLeftovers(paths.repository(id));
    await rm(join(paths.busy, String(id)), { force: true });
  }
  await empty(paths.arriving);
  await empty(paths.leaving);
  return ids;
}

/** Removes locks and unfinished files of writers that are dead. Nobody may be writing. */
export async function removeLeftovers(repository: string): Promise<void> {
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

async function empty(directory: string): Promise<void> {
  await removeMatching(directory, /^/);
}

async function namesIn(directory: string, below = false): Promise<string[]> {
  try {
    return await readdir(directory, { recursive: below });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
