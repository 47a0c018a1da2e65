import { access, chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '#platform/error-code.ts';

import { makeFolder, syncFolder } from '#platform/durable-files.ts';

import { removeEach } from './remove-each.ts';

/**
 * Directories named by a hash of their contents: created once, atomically, and never changed. They can be created again, so
 * unreferenced ones may be removed.
 */
export interface ContentAddressedStore {
  /** A private directory that is removed when `use` has ended. On the same file system, so that files can be renamed from it. */
  scratch<T>(use: (folder: string) => Promise<T>): Promise<T>;
  /**
   * Provides the directory of this name, built by `build` if it does not exist; it is not pruned before `use` has ended. To retain it
   * for longer, a committed row must name it by then. Concurrent callers share one build.
   */
  use<T>(
    name: string,
    build: (folder: string) => Promise<void>,
    use: (folder: string) => Promise<T>,
  ): Promise<T>;
  /** The path of the directory of this name, if it exists. */
  path(name: string): string;
  /**
   * Removes the directories that were not in use since the last prune, except those that `keep` returns; it is called with the
   * candidates after the directories have been listed.
   */
  prune(keep: (found: readonly string[]) => Promise<ReadonlySet<string>>): Promise<number>;
}

/** Removes incomplete directories of a killed server. Names are lower-case letters and digits. */
export async function openContentAddressedStore(root: string): Promise<ContentAddressedStore> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  // Other users may traverse to a name that they know (a function's own user, to its code), but not list the directory.
  await chmod(root, 0o711);
  for (const name of await readdir(root)) {
    if (name.startsWith(scratchPrefix)) await removeFolder(join(root, name));
  }
  return createContentAddressedStore(root);
}

const scratchPrefix = 'new-';

function createContentAddressedStore(root: string): ContentAddressedStore {
  const users = new Map<string, number>();
  const building = new Map<string, Promise<void>>();
  const removing = new Map<string, Promise<void>>();
  /** Names used since a prune started: rows that name them may be newer than the names it was given to keep. */
  const prunes = new Set<Set<string>>();
  let usedSincePrune = new Set<string>();

  const path = (name: string): string => join(root, checked(name));

  async function scratch<T>(use: (folder: string) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(join(root, scratchPrefix));
    try {
      return await use(folder);
    } finally {
      await removeFolder(folder);
    }
  }

  async function build(name: string, make: (folder: string) => Promise<void>): Promise<void> {
    await removing.get(name);
    if (await isThere(path(name))) return;
    await scratch(async (outer) => {
      // In a subdirectory, since the scratch directory itself is removed by its name afterwards.
      const folder = join(outer, 'content');
      await makeFolder(folder);
      await make(folder);
      await syncFolder(folder);
      await rename(folder, path(name));
    });
    await syncFolder(root);
  }

  async function ensure(name: string, make: (folder: string) => Promise<void>): Promise<void> {
    const known = building.get(name);
    if (known) return known;
    const built = build(name, make).finally(() => building.delete(name));
    building.set(name, built);
    return built;
  }

  function hold(name: string): () => void {
    users.set(name, (users.get(name) ?? 0) + 1);
    usedSincePrune.add(name);
    for (const touched of prunes) touched.add(name);
    return () => {
      const left = (users.get(name) ?? 1) - 1;
      if (left === 0) users.delete(name);
      else users.set(name, left);
    };
  }

  async function remove(name: string): Promise<void> {
    await scratch((folder) => rename(path(name), join(folder, 'content')));
  }

  return {
    scratch,
    path,

    async use(name, make, use) {
      const release = hold(name);
      try {
        await ensure(name, make);
        return await use(path(name));
      } finally {
        release();
      }
    },

    async prune(keep) {
      const touched = new Set([...users.keys(), ...usedSincePrune]);
      usedSincePrune = new Set();
      prunes.add(touched);
      try {
        const names = (await readdir(root)).filter(
          (name) => !name.startsWith(scratchPrefix) && !touched.has(name),
        );
        const result = await keep(names);
        return await removeEach(
          names.filter((name) => !result.has(name)),
          async (name) => {
            if (touched.has(name)) return false;
            const removal = remove(name).finally(() => removing.delete(name));
            removing.set(name, removal);
            await removal;
            return true;
          },
          { nameOf: (name) => join(root, name) },
        );
      } finally {
        prunes.delete(touched);
      }
    },
  };
}

function checked(name: string): string {
  if (/^[a-z0-9]+$/.test(name)) return name;
  throw new Error(`${JSON.stringify(name)} is no name of a content folder.`);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}
