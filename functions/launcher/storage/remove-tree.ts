import { chmod, lstat, mkdtemp, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes a file, or a folder with whatever a program has left in it: folders that nobody may read, and paths that are longer
 * than the kernel takes (PATH_MAX, path_resolution(7)). On both `rm` of Node gives up. Nothing may still run that could put links
 * in the place of folders meanwhile.
 */
export async function removeTree(path: string): Promise<void> {
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats) return;
  if (!stats.isDirectory()) return unlink(path);
  // Folders are moved here before they are emptied, so that no path is ever longer than two names below it.
  const flat = await mkdtemp(`${path}.removing-`);
  const folders = [path];
  let moved = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    while (await removeEntries(folder, moveOut)) {
      // A folder from which entries are removed while it is read need not have shown all of them (readdir(3)).
    }
    await rmdir(folder);
  }
  await rmdir(flat);

  async function moveOut(inside: string): Promise<void> {
    moved += 1;
    const to = join(flat, String(moved));
    // It must be writable itself, for it names the folder that it is in (rename(2)).
    await permitted(inside, () => rename(inside, to));
    folders.push(to);
  }
}

/** False when there was nothing in the folder. */
async function removeEntries(
  folder: string,
  moveOut: (inside: string) => Promise<void>,
): Promise<boolean> {
  let any = false;
  for await (const entry of await permitted(folder, () => opendir(folder))) {
    any = true;
    const inside = join(folder, entry.name);
    await permitted(folder, () => (entry.isDirectory() ? moveOut(inside) : unlink(inside)));
  }
  return any;
}

/** Gives ourselves what we lack in a folder that is ours, and tries again. */
async function permitted<T>(folder: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
    await chmod(folder, 0o700);
    return action();
  }
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
