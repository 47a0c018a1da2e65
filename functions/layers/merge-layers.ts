import { constants } from 'node:fs';
import { copyFile, link, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';

import { makeFolder } from '../code/durable-files.ts';
import { openContentFolders } from '../code/content-folders.ts';

/** Layers laid over each other: what a function sees at `/opt`. */
export interface MergedLayers {
  /**
   * Lends the folder that has the trees of these archives in it, in this order, later ones over earlier ones; it is made
   * once. It is not pruned before `use` has ended.
   */
  use<T>(sha256s: readonly string[], use: (folder: string) => Promise<T>): Promise<T>;
  /** Removes the folders of all other lists of archives; asked after the looking. */
  prune(keep: () => Promise<readonly (readonly string[])[]>): Promise<number>;
}

/** `treeFolder` tells where the unpacked archive of a hash is; it must be there. */
export async function openMergedLayers(
  root: string,
  treeFolder: (sha256: string) => string,
): Promise<MergedLayers> {
  const folders = await openContentFolders(root);
  return {
    async use(sha256s, use) {
      const build = (folder: string): Promise<void> => merge(sha256s.map(treeFolder), folder);
      return folders.use(nameOf(sha256s), build, use);
    },
    prune: (keep) => folders.prune(async () => new Set((await keep()).map(nameOf))),
  };
}

function nameOf(sha256s: readonly string[]): string {
  return createHash('sha256').update(sha256s.join('\n')).digest('hex');
}

/** Files are linked, not copied: they never change, and are durable already. */
async function merge(trees: readonly string[], into: string): Promise<void> {
  const known = new Map<string, 'folder' | 'other'>();

  async function clear(path: string): Promise<void> {
    if (!known.has(path)) return;
    await rm(join(into, path), { recursive: true });
    for (const other of known.keys()) {
      if (other === path || other.startsWith(`${path}/`)) known.delete(other);
    }
  }

  async function lay(tree: string, folder: string): Promise<void> {
    for (const entry of await readdir(join(tree, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const from = join(tree, path);
      if (entry.isDirectory()) {
        if (known.get(path) !== 'folder') {
          await clear(path);
          await makeFolder(join(into, path));
          known.set(path, 'folder');
        }
        await lay(tree, path);
        continue;
      }
      await clear(path);
      if (entry.isSymbolicLink()) await symlink(await readlink(from), join(into, path));
      else await linkOrCopy(from, join(into, path));
      known.set(path, 'other');
    }
  }

  for (const tree of trees) await lay(tree, '');
}

/** A file can have only so many names, and some file systems allow no second one. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (!['EMLINK', 'EPERM', 'EXDEV', 'ENOTSUP'].includes(String(code))) throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  }
}
