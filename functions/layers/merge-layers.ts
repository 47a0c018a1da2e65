import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, lstat, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '#platform/error-code.ts';

import { openContentFolders } from '../code/archives/content-addressed-store.ts';
import { makeFolder } from '../code/archives/durable-files.ts';

/** Layers laid over each other: what a function sees at `/opt`. */
export interface MergedLayers {
  /**
   * Lends the folder that has the trees of these archives in it, in this order, later ones over earlier ones; it is made
   * once. It is not pruned before `use` has ended.
   */
  use<T>(sha256s: readonly string[], use: (folder: string) => Promise<T>): Promise<T>;
  /**
   * Removes folders of other lists of archives than those that are named, which it asks for after the looking: of the unnamed ones
   * those that `choose` answers.
   */
  prune(
    named: () => Promise<readonly (readonly string[])[]>,
    choose: (unnamed: readonly string[]) => ReadonlySet<string>,
  ): Promise<number>;
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
    prune: (lists, choose) =>
      folders.prune(async (found) => {
        const named = new Set((await lists()).map(nameOf));
        const chosen = choose(found.filter((name) => !named.has(name)));
        return new Set(found.filter((name) => !chosen.has(name)));
      }),
  };
}

function nameOf(sha256s: readonly string[]): string {
  return createHash('sha256').update(sha256s.join('\n')).digest('hex');
}

/** Files are linked, not copied: they never change, and are durable already. */
async function merge(trees: readonly string[], into: string): Promise<void> {
  for (const tree of trees) await lay(tree, into);
}

async function lay(from: string, into: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(into, entry.name);
    if (entry.isDirectory()) {
      if (!(await isFolder(target))) await replacing(target, makeFolder);
      await lay(source, target);
    } else if (entry.isSymbolicLink()) {
      const message = await readlink(source);
      await replacing(target, (path) => symlink(message, path));
    } else {
      await replacing(target, (path) => linkOrCopy(source, path));
    }
  }
}

/** What an earlier layer has at this path gives way as a whole. */
async function replacing(path: string, make: (path: string) => Promise<void>): Promise<void> {
  try {
    await make(path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    await rm(path, { recursive: true });
    await make(path);
  }
}

/** Itself, not where it leads. */
async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** A file can have only so many names, and some file systems allow no second one. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!['EMLINK', 'EPERM', 'EXDEV', 'ENOTSUP'].includes(errorCode(error) ?? '')) throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  }
}
