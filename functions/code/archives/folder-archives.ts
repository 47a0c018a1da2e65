import {
  copyFile,
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  stat,
  utimes,
} from 'node:fs/promises';
import { join } from 'node:path';

import { ifThere } from '#platform/absent-files.ts';
import { systemClock } from '#platform/clock.ts';
import { syncFolder } from '#platform/durable-files.ts';
import { errorCode } from '#platform/error-code.ts';

import { freshMilliseconds, type SharedArchives } from './shared-archives.ts';

const suffix = '.zip';
const scratchPrefix = 'new-';

/** In a folder that all servers mount. */
export async function openFolderArchives(root: string): Promise<SharedArchives> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const path = (sha256: string): string => join(root, `${sha256}${suffix}`);

  async function scratch(use: (folder: string) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(join(root, scratchPrefix));
    try {
      await use(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Marks it as new; false if it is not there. */
  async function renew(sha256: string): Promise<boolean> {
    const now = systemClock.now() / 1000;
    return isThere(utimes(path(sha256), now, now));
  }

  /** Out of the way first: another server may add it now, and either renews it before or stores it anew. */
  async function remove(sha256: string): Promise<boolean> {
    if (!(await isOld(path(sha256)))) return false;
    let removed = false;
    await scratch(async (folder) => {
      const aside = join(folder, `${sha256}${suffix}`);
      if (!(await isThere(rename(path(sha256), aside)))) return;
      removed = await isOld(aside);
      if (!removed) await unlessThere(link(aside, path(sha256)));
    });
    return removed;
  }

  /** What a server left that was killed. */
  async function removeScratch(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const folder = join(root, name);
      if (name.startsWith(scratchPrefix) && (await isOld(folder))) {
        await rm(folder, { recursive: true, force: true });
      }
    }
  }

  async function add(sha256: string, file: string): Promise<void> {
    if (await renew(sha256)) return;
    await scratch(async (folder) => {
      const copy = join(folder, 'archive');
      await copyFile(file, copy);
      await synced(copy);
      await rename(copy, path(sha256));
    });
    await syncFolder(root);
  }

  return {
    add,
    use: (sha256, use) => use(path(sha256)),

    list: async () => hashesIn(await readdir(root)),

    async prune(keep) {
      const names = await readdir(root);
      await removeScratch(names);
      const found = hashesIn(names);
      const retained = await keep(found);
      let removed = 0;
      for (const sha256 of found) {
        if (!retained.has(sha256) && (await remove(sha256))) removed += 1;
      }
      return removed;
    },

    // Readers have the files themselves.
    removeCopies: async () => {},
    close() {},
  };
}

function hashesIn(names: readonly string[]): string[] {
  return names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
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

async function unlessThere(done: Promise<void>): Promise<void> {
  await done.catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
}
