import { access, chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '#platform/error-code.ts';

import { makeFolder, syncFolder } from './durable-files.ts';

/**
 * Folders named by what is in them: made once, whole or not at all, and never changed. They can be made anew, so what
 * nobody names may go.
 */
export interface ContentFolders {
  /** A private folder that is gone once `use` has ended. On the same disk, so that files can move from it. */
  scratch<T>(use: (folder: string) => Promise<T>): Promise<T>;
  /**
   * Lends the folder of this name, first made by `build` if it is not there; it is not pruned before `use` has ended. What
   * is to outlive that, a committed row must name by then. Callers who need the same folder at once share one building.
   */
  use<T>(
    name: string,
    build: (folder: string) => Promise<void>,
    use: (folder: string) => Promise<T>,
  ): Promise<T>;
  /** Where the folder of this name is, if it is there. */
  path(name: string): string;
  /**
   * Removes the folders that were not in use since the last prune and that are not in what `keep` answers; it is asked after the
   * looking, about the others.
   */
  prune(keep: (found: readonly string[]) => Promise<ReadonlySet<string>>): Promise<number>;
}

/** Clears away what a killed server left half made. Names are lower-case letters and digits. */
export async function openContentFolders(root: string): Promise<ContentFolders> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  // Other users may go to what they know the name of (a function's own user, to its code), but not look around.
  await chmod(root, 0o711);
  for (const name of await readdir(root)) {
    if (name.startsWith(scratchPrefix)) await removeFolder(join(root, name));
  }
  return createContentFolders(root);
}

const scratchPrefix = 'new-';

function createContentFolders(root: string): ContentFolders {
  const users = new Map<string, number>();
  const building = new Map<string, Promise<void>>();
  const removing = new Map<string, Promise<void>>();
  /** Names used since a prune began: rows that name them may be newer than what it was told to keep. */
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
      // Inside a folder of its own, since the scratch folder is removed under its name afterwards.
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
    const made = build(name, make).finally(() => building.delete(name));
    building.set(name, made);
    return made;
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
        let removed = 0;
        for (const name of names) {
          if (result.has(name) || touched.has(name)) continue;
          const removal = remove(name).finally(() => removing.delete(name));
          removing.set(name, removal);
          await removal;
          removed += 1;
        }
        return removed;
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
