import {
  access,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises';
import { join } from 'node:path';

import { ifThere, isAbsent, namesIn } from '#platform/absent-files.ts';
import { systemClock } from '#platform/clock.ts';
import { syncFolder } from '#platform/durable-files.ts';
import { errorCode } from '#platform/error-code.ts';

import { lostArchive } from './archive-faults.ts';
import { hashOfFile } from './hash-of-file.ts';
import { removeEach } from './remove-each.ts';
import { archiveHash, freshMilliseconds, type SharedArchives } from './shared-archives.ts';

const suffix = '.zip';
const scratchPrefix = 'new-';
const draftName = 'archive';

/** In a folder that all servers mount. */
export async function openFolderArchives(root: string): Promise<SharedArchives> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const path = (sha256: string): string => join(root, `${sha256}${suffix}`);

  async function scratchFolders(): Promise<string[]> {
    const entries = await readdir(root, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && entry.name.startsWith(scratchPrefix))
      .map(({ name }) => join(root, name));
  }

  /** Stored anew each time: this renews its time, and replaces what may be damaged. */
  async function add(sha256: string, file: string): Promise<void> {
    const folder = await mkdtemp(join(root, scratchPrefix));
    try {
      const copy = join(folder, draftName);
      await copyFile(file, copy);
      await synced(copy);
      await rename(copy, path(sha256));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    await syncFolder(root);
  }

  /**
   * Out of the way first: another server may add it now, and stores it anew before that or after. Whatever fails from then on leaves the
   * archive where it was moved: readers and removals put it back from there.
   */
  async function remove(sha256: string): Promise<boolean> {
    if (!(await isOld(path(sha256)))) return false;
    const folder = await mkdtemp(join(root, scratchPrefix));
    const aside = join(folder, `${sha256}${suffix}`);
    let isUnused = false;
    if (await isThere(rename(path(sha256), aside))) {
      isUnused = await isOld(aside);
      if (!isUnused) await putBack(sha256, aside);
    }
    await rm(folder, { recursive: true, force: true });
    return isUnused;
  }

  /** What another server has stored meanwhile stays. */
  async function putBack(sha256: string, aside: string): Promise<void> {
    try {
      await link(aside, path(sha256));
    } catch (error) {
      // Another server has put it back, or has removed it.
      if (errorCode(error) === 'EEXIST' || isAbsent(error)) return;
      // Not all file systems have hard links.
      if (!(await isThere(access(path(sha256))))) await isThere(rename(aside, path(sha256)));
    }
    await syncFolder(root);
  }

  /** Puts back what servers have moved out of the way that were killed then: one archive, or all. */
  async function putAllBack(folder: string, only?: string): Promise<void> {
    for (const sha256 of hashesIn(await namesIn(folder)))
      if (only === undefined || sha256 === only)
        await putBack(sha256, join(folder, `${sha256}${suffix}`));
  }

  /** What a server left that was killed; nothing else that is in such a folder, which may be the operator's. */
  async function removeScratch(folder: string): Promise<void> {
    await putAllBack(folder);
    if (!(await isOld(folder))) return;
    const archives = hashesIn(await namesIn(folder)).map((sha256) => `${sha256}${suffix}`);
    await putAllBack(folder);
    for (const name of [...archives, draftName]) await rm(join(folder, name), { force: true });
    await rmdir(folder).catch((error: unknown) => {
      if (!isAbsent(error) && errorCode(error) !== 'ENOTEMPTY') throw error;
    });
  }

  for (const folder of await scratchFolders()) await putAllBack(folder);
  return {
    add,

    async use(sha256, use) {
      if (!(await isThere(access(path(sha256)))))
        for (const folder of await scratchFolders()) await putAllBack(folder, sha256);
      const found = await hashOfFile(path(sha256));
      if (found !== sha256)
        throw lostArchive(sha256, `is damaged in the store: its hash is ${found}`);
      return use(path(sha256));
    },

    list: async () => hashesIn(await readdir(root)),

    async prune(keep) {
      for (const folder of await scratchFolders()) await removeScratch(folder);
      const found = hashesIn(await readdir(root));
      const retained = await keep(found);
      const unused = found.filter((sha256) => !retained.has(sha256));
      return removeEach(unused, remove, { nameOf: path });
    },

    // Readers have the files themselves.
    removeCopies: async () => {},
    close() {},
  };
}

/** Other files in the folder are the operator's. */
function hashesIn(names: readonly string[]): string[] {
  return names.flatMap((name) => archiveHash(name) ?? []);
}

/** False also for what is not there. */
async function isOld(path: string): Promise<boolean> {
  const stats = await ifThere(stat(path));
  return stats !== undefined && stats.mtimeMs < systemClock.now() - freshMilliseconds;
}

async function synced(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** False if what it is done to does not exist. */
async function isThere(done: Promise<void>): Promise<boolean> {
  try {
    await done;
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
