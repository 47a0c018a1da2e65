import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, lstat, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '#platform/error-code.ts';

import { openContentAddressedStore } from '../code/archives/content-addressed-store.ts';
import type { CodeFiles } from '../code/code-files.ts';
import { makeFolder } from '#platform/durable-files.ts';

/** Merged layers: what a function sees at `/opt`. */
export interface MergedLayers {
  /**
   * Provides the directory with the merged trees of these archives; later ones override earlier ones. It is created once, and not
   * pruned before `use` has ended.
   */
  use<T>(sha256s: readonly string[], use: (folder: string) => Promise<T>): Promise<T>;
  /**
   * Removes the directories of unused lists of archives. It reads the lists in use after listing the directories; of the unused ones it
   * removes those that `choose` returns.
   */
  prune(
    named: () => Promise<readonly (readonly string[])[]>,
    choose: (unnamed: readonly string[]) => ReadonlySet<string>,
  ): Promise<number>;
}

export async function openMergedLayers(
  root: string,
  { tree }: Pick<CodeFiles, 'tree'>,
): Promise<MergedLayers> {
  const folders = await openContentAddressedStore(root);
  return {
    async use(sha256s, use) {
      const build = async (folder: string): Promise<void> =>
        merge(await Promise.all(sha256s.map(tree)), folder);
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

/** Files are hard-linked, not copied: they never change, and are already durable. */
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

/** Replaces the whole entry of an earlier layer at this path. */
async function replacing(path: string, make: (path: string) => Promise<void>): Promise<void> {
  try {
    await make(path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    await rm(path, { recursive: true });
    await make(path);
  }
}

/** Does not follow links. */
async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** The number of hard links is limited, and some file systems allow none. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!['EMLINK', 'EPERM', 'EXDEV', 'ENOTSUP'].includes(errorCode(error) ?? '')) throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  }
}
