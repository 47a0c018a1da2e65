import { chmod, lstat, mkdtemp, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '#platform/error-code.ts';

/**
 * Removes a file, or a directory with everything that a program has left in it: unreadable directories, and paths longer than the
 * kernel accepts (PATH_MAX, path_resolution(7)). Node's `rm` fails on both. No process may still run that could replace directories
 * by links meanwhile.
 */
export async function removeTree(path: string): Promise<void> {
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats) return;
  if (!stats.isDirectory()) return unlink(path);
  // Directories are moved here before they are emptied, so that no path is longer than two names below it.
  const flat = await mkdtemp(`${path}.removing-`);
  const folders = [path];
  let moved = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    while (await removeEntries(folder, moveOut)) {
      // Reading a directory while removing its entries may miss some of them (readdir(3)).
    }
    await rmdir(folder);
  }
  await rmdir(flat);

  async function moveOut(subfolder: string): Promise<void> {
    moved += 1;
    const to = join(flat, String(moved));
    // It must be writable itself, since a rename changes its ".." entry (rename(2)).
    await permitted(subfolder, () => rename(subfolder, to));
    folders.push(to);
  }
}

/** False when there was nothing in the folder. */
async function removeEntries(
  folder: string,
  moveOut: (path: string) => Promise<void>,
): Promise<boolean> {
  let any = false;
  for await (const entry of await permitted(folder, () => opendir(folder))) {
    any = true;
    const path = join(folder, entry.name);
    await permitted(folder, () => (entry.isDirectory() ? moveOut(path) : unlink(path)));
  }
  return any;
}

/** Adds the missing permissions to a directory that we own, and tries again. */
async function permitted<T>(folder: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error;
    await chmod(folder, 0o700);
    return action();
  }
}

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}
