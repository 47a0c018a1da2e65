import { join } from 'node:path';

import { unzippedBytesMax } from '#functions-contract/limits.ts';
import { errorCode } from '#platform/error-code.ts';
import type { Random } from '#platform/random.ts';
import { storageFailure } from '#platform/storage-failure.ts';

import { FunctionsError } from '../../errors/functions-error.ts';
import { ArchivesUnavailableError, lostArchive, ObjectTooLargeError } from './archive-faults.ts';
import { openContentAddressedStore } from './content-addressed-store.ts';
import { removeEach } from './remove-each.ts';
import type { S3Bucket } from './s3-bucket.ts';
import { archiveHash, freshMilliseconds, type SharedArchives } from './shared-archives.ts';

/**
 * In a bucket, each as `SHA256.zip`. S3 has no deletion on condition that no server has added the archive again since, so an archive that is to
 * be removed is first moved to `unreferenced/`, where readers still find it. From there it is removed only if no row names it an hour
 * later: a server that added it before it was moved has committed by then, or never will. One that adds it later stores it at its first key again.
 */
export async function openS3Archives(
  bucket: S3Bucket,
  copiesFolder: string,
  random: Pick<Random, 'id'>,
): Promise<SharedArchives> {
  const copies = await openContentAddressedStore(copiesFolder);

  async function download(sha256: string, file: string): Promise<void> {
    const found = await downloadAny(sha256, file).catch((error: unknown) => {
      if (!(error instanceof ObjectTooLargeError)) throw error;
      throw lostArchive(sha256, `is damaged in the store: it has over ${unzippedBytesMax} bytes`);
    });
    if (found === undefined) throw lostArchive(sha256, 'is missing from the store');
    if (found !== sha256)
      throw lostArchive(sha256, `is damaged in the store: its hash is ${found}`);
  }

  async function downloadAny(sha256: string, file: string): Promise<string | undefined> {
    const found = await bucket.download(nameOf(sha256), file, unzippedBytesMax);
    return found ?? downloadMoved(sha256, file);
  }

  async function downloadMoved(sha256: string, file: string): Promise<string | undefined> {
    for await (const { name } of bucket.list(`${movedFolder}${sha256}-`)) {
      const found = await bucket.download(name, file, unzippedBytesMax);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The clock of the store, since ages are by that. */
  async function now(): Promise<number> {
    await bucket.putText(clockName, '');
    const time = await bucket.modified(clockName);
    if (time === undefined) throw new Error('The store does not have what it has just confirmed.');
    return time;
  }

  async function everything(): Promise<Found> {
    const stored = new Map<string, number>();
    const moved: MovedArchive[] = [];
    for await (const { name, modified } of bucket.list('')) {
      const sha256 = archiveHash(name);
      if (sha256 !== undefined) stored.set(sha256, modified);
      const movedSha256 = movedPattern.exec(name)?.[1];
      if (movedSha256 !== undefined) moved.push({ sha256: movedSha256, name, modified });
    }
    return { stored, moved };
  }

  /** Under a name of its own, so that no server mistakes it for one that was moved an hour ago. */
  async function move(sha256: string): Promise<boolean> {
    const movedName = `${movedFolder}${sha256}-${random.id()}.zip`;
    if (!(await bucket.copy(nameOf(sha256), movedName))) return false;
    await bucket.remove(nameOf(sha256));
    return true;
  }

  return {
    // Always sent: this renews its time on every store, and replaces what may be damaged.
    add: (sha256, file, within) =>
      orUnavailable(() => bucket.put(nameOf(sha256), file, sha256, within)),

    use(sha256, use) {
      const build = (folder: string): Promise<void> =>
        orUnavailable(() => download(sha256, join(folder, copyFile)));
      return copies.use(sha256, build, (folder) => use(join(folder, copyFile)));
    },

    list: async () => hashesOf(await everything()),

    async prune(keep) {
      const before = (await now()) - freshMilliseconds;
      const all = await everything();
      const { stored, moved } = all;
      const retained = await keep(hashesOf(all));
      const isDue = (sha256: string, modified: number): boolean =>
        !retained.has(sha256) && modified < before;
      const overdue = moved.filter(({ sha256, modified }) => isDue(sha256, modified));
      // One that could be moved, but not deleted where it was, is not copied again and again.
      const copied = new Set(moved.map(({ sha256 }) => sha256));
      const unused = [...stored].filter(
        ([sha256, modified]) => isDue(sha256, modified) && !copied.has(sha256),
      );
      const removals: readonly Removal[] = [
        ...overdue.map(({ name }) => ({ name, run: () => bucket.remove(name).then(() => false) })),
        ...unused.map(([sha256]) => ({ name: nameOf(sha256), run: () => move(sha256) })),
      ];
      let unanswered = 0;
      return removeEach(removals, ({ run }) => run(), {
        nameOf: ({ name }) => name,
        isOver: (error) => !bucket.isRefusal(error) && (unanswered += 1) >= unansweredMax,
      });
    },

    async removeCopies() {
      await copies.prune(async () => new Set());
    },
    close: () => bucket.close(),
  };
}

interface Found {
  /** When each was added, by the clock of the store. */
  readonly stored: ReadonlyMap<string, number>;
  readonly moved: readonly MovedArchive[];
}

interface Removal {
  readonly name: string;
  /** Whether it has ended the use of an archive. */
  readonly run: () => Promise<boolean>;
}

interface MovedArchive {
  readonly sha256: string;
  readonly name: string;
  /** When it was moved. */
  readonly modified: number;
}

/**
 * Removals from a bucket that it neither does nor refuses, before the rest is left to a later run: each may have taken a
 * minute.
 */
const unansweredMax = 3;

const copyFile = 'archive.zip';
const movedFolder = 'unreferenced/';
const clockName = 'last-removal';
const movedPattern = /^unreferenced\/([0-9a-f]{64})-[0-9a-f-]{36}\.zip$/;

function hashesOf({ stored, moved }: Found): string[] {
  return [...new Set([...stored.keys(), ...moved.map(({ sha256 }) => sha256)])];
}

function nameOf(sha256: string): string {
  if (/^[0-9a-f]{64}$/.test(sha256)) return `${sha256}.zip`;
  throw new Error(`${JSON.stringify(sha256)} is no hash of an archive.`);
}

/** Faults of the store and the network; those of this host's disk, and a file that is not there, are reported as such. */
async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isOfHost = storageFailure(error) !== undefined || errorCode(error) === 'ENOENT';
    throw error instanceof FunctionsError || isOfHost ? error : new ArchivesUnavailableError(error);
  }
}
