import {
  access,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  utimes,
} from 'node:fs/promises';
import { join } from 'node:path';

import { ifThere, isAbsent, namesIn } from '#platform/absent-files.ts';
import { systemClock } from '#platform/clock.ts';
import { syncFile, syncFolder } from '#platform/durable-files.ts';
import { errorCode } from '#platform/error-code.ts';

import { lostArchive, unstorableArchive } from './archive-faults.ts';
import { hashOfFile, NoFileError } from './hash-of-file.ts';
import { linkIfAbsent } from './link-if-absent.ts';
import { removeEach } from './remove-each.ts';
import { archiveHash, freshMilliseconds, type SharedArchives } from './shared-archives.ts';

const suffix = '.zip';
const scratchPrefix = 'new-';
const draftName = 'archive';

/** Others are the operator's: this is what mkdtemp makes of the prefix. */
const scratchPattern = /^new-[A-Za-z0-9]{6}$/;

interface FolderArchives extends SharedArchives {
  /** Puts back what servers were removing that were killed. */
  recover(): Promise<void>;
}

/** In a folder that all servers mount, and that is the service's own. */
export async function openFolderArchives(root: string): Promise<SharedArchives> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const archives = createFolderArchives(root);
  await archives.recover();
  return archives;
}

/** Changes nothing in the folder, which may turn out to be of another installation. */
export function createFolderArchives(root: string): FolderArchives {
  const path = (sha256: string): string => join(root, `${sha256}${suffix}`);

  async function scratchFolders(): Promise<string[]> {
    const entries = await readdir(root, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && scratchPattern.test(entry.name))
      .map(({ name }) => join(root, name));
  }

  /** Stored anew each time: this renews its time, and replaces what may be damaged. */
  async function add(sha256: string, file: string): Promise<void> {
    const folder = await mkdtemp(join(root, scratchPrefix));
    try {
      const copy = join(folder, draftName);
      await copyFile(file, copy);
      await syncFile(copy);
      await rename(copy, path(sha256)).catch((error: unknown) => {
        throw errorCode(error) === 'EISDIR' ? unstorableArchive(path(sha256)) : error;
      });
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
    // What is not a file is the operator's.
    if (!(await isFile(path(sha256))) || !(await isOld(path(sha256)))) return false;
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
    // Another server may have put it back, or have removed it.
    if (await ifThere(linkIfAbsent(aside, path(sha256)))) await syncFolder(root);
  }

  /** A server that was killed may have put back a part, where the file system has no hard links. */
  async function repair(sha256: string, aside: string): Promise<void> {
    if ((await hashIfFile(path(sha256))) === sha256 || (await hashIfFile(aside)) !== sha256) return;
    // Another server may have added it meanwhile: it is as new as that.
    const now = systemClock.now() / 1000;
    if (!(await isThere(utimes(aside, now, now)))) return;
    if (await isThere(rename(aside, path(sha256)))) await syncFolder(root);
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
    const hashes = hashesIn(await namesIn(folder));
    await putAllBack(folder);
    for (const sha256 of hashes) {
      const aside = join(folder, `${sha256}${suffix}`);
      await repair(sha256, aside);
      await rm(aside, { force: true });
    }
    await rm(join(folder, draftName), { force: true });
    await rmdir(folder).catch((error: unknown) => {
      if (!isAbsent(error) && errorCode(error) !== 'ENOTEMPTY') throw error;
    });
  }

  return {
    add,

    async recover() {
      for (const folder of await scratchFolders()) await putAllBack(folder);
    },

    async use(sha256, use) {
      if (!(await isThere(access(path(sha256)))))
        for (const folder of await scratchFolders()) await putAllBack(folder, sha256);
      await requireIntact(sha256, path(sha256));
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

async function requireIntact(sha256: string, path: string): Promise<void> {
  const found = await hashOfFile(path).catch((error: unknown) => {
    if (!(error instanceof NoFileError)) throw error;
    throw lostArchive(
      sha256,
      `is damaged in the store: ${path} is not a file. Delete or rename it, and upload that code again`,
    );
  });
  if (found !== sha256) throw lostArchive(sha256, `is damaged in the store: its hash is ${found}`);
}

async function hashIfFile(path: string): Promise<string | undefined> {
  return (await isFile(path)) ? ifThere(hashOfFile(path)) : undefined;
}

async function isFile(path: string): Promise<boolean> {
  return (await ifThere(stat(path)))?.isFile() ?? false;
}

/** False also for what is not there. */
async function isOld(path: string): Promise<boolean> {
  const stats = await ifThere(stat(path));
  return stats !== undefined && stats.mtimeMs < systemClock.now() - freshMilliseconds;
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
