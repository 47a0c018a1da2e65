import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

import { unzippedBytesMax, zipEntriesMax } from '#functions-contract/limits.ts';

import { ArchiveRefusal } from './archives/archive-path.ts';
import { openContentAddressedStore } from './archives/content-addressed-store.ts';
import type { SharedArchives } from './archives/shared-archives.ts';
import { archiveFile, localArchives } from './archives/move-archives.ts';
import { writePrivateFile } from '#platform/durable-files.ts';
import { readArchive, type ArchiveReader } from './zip/archive-reader.ts';
import { unzip, type UnzipLimits } from './zip/unzip.ts';

/** Code packages on disk: each archive once, next to its unpacked contents. */
export interface CodeFiles {
  /**
   * Stores an archive and unpacks it, unless that was done before. It is retained until `use` has ended, and afterwards by a row that
   * `use` writes. Throws an ArchiveRefusal, or the refusal of the storage reservation before anything is unpacked. What stores of archives
   * take is given up at the signal.
   */
  ingest<T>(
    archive: CodeArchive,
    use: (code: StoredCode) => Promise<T>,
    reserve?: StorageReservation,
    within?: AbortSignal,
  ): Promise<T>;
  /**
   * Runs `work`, which fetches an archive of unknown size and ingests it. Throws an ArchiveRefusal when too many do: each may take as much
   * disk as the largest archive before anything is reserved.
   */
  whileFetching<T>(work: () => Promise<T>): Promise<T>;
  /** Provides the folder of the unpacked code. This process must never read its contents: they could be links or anything else. */
  tree(this: void, sha256: string): Promise<string>;
  /** The archive as it was uploaded. */
  openArchive(sha256: string): Promise<Readable>;
  /** Reads the archive without unpacking it. */
  readArchive<T>(sha256: string, use: (archive: ArchiveReader) => Promise<T>): Promise<T>;
  /** Removes packages that no row names. `keep` is called with the hashes found, and returns those to retain. */
  prune(keep: Keep): Promise<number>;
  /** The same for the archives that several servers share. */
  pruneShared(keep: Keep): Promise<number>;
}

/** Reserves storage and runs `store`, or refuses. */
export type StorageReservation = <T>(bytes: number, store: () => Promise<T>) => Promise<T>;

const unlimited: StorageReservation = (_bytes, store) => store();

export type CodeArchive = Uint8Array | AsyncIterable<Uint8Array>;

export interface StoredCode {
  /** Hex, of the archive. */
  readonly sha256: string;
  /** Bytes of the archive. */
  readonly size: number;
  /** Bytes of all files in it. */
  readonly unzippedSize: number;
}

/** The hash as the wire spells it. */
export function base64Digest(sha256: string): string {
  return Buffer.from(sha256, 'hex').toString('base64');
}

type Keep = (found: readonly string[]) => Promise<ReadonlySet<string>>;

interface CodeFilesOptions {
  readonly limits?: UnzipLimits;
  /** The archives of several servers; each unpacks those that it runs. */
  readonly shared?: SharedArchives;
}

export async function openCodeFiles(
  root: string,
  {
    limits = { entriesMax: zipEntriesMax, bytesMax: unzippedBytesMax },
    shared,
  }: CodeFilesOptions = {},
): Promise<CodeFiles> {
  const folders = await openContentAddressedStore(root);

  async function useArchive<T>(sha256: string, use: (path: string) => Promise<T>): Promise<T> {
    return shared ? shared.use(sha256, use) : use(join(folders.path(sha256), archiveFile));
  }

  async function unpack(archive: string, folder: string): Promise<void> {
    const unzippedSize = await unzip(archive, join(folder, treeFolder), limits);
    await writePrivateFile(join(folder, sizeFile), async (write) => {
      await write(Buffer.from(`${unzippedSize}\n`));
    });
  }

  let fetching = 0;
  return {
    async whileFetching(work) {
      if (fetching >= fetchingMax) {
        throw new ArchiveRefusal('busy', 'Too many archives are being fetched. Try again later.');
      }
      fetching += 1;
      try {
        return await work();
      } finally {
        fetching -= 1;
      }
    },

    async ingest(archive, use, reserve = unlimited, within) {
      return folders.scratch(async (scratch) => {
        const incoming = join(scratch, archiveFile);
        const { sha256, size } = await receive(archive, incoming, limits.bytesMax);
        const build = async (folder: string): Promise<void> => {
          await unpack(incoming, folder);
          if (!shared) await rename(incoming, join(folder, archiveFile));
        };
        return reserve(size, () =>
          folders.use(sha256, build, async (folder) => {
            await shared?.add(sha256, incoming, within);
            const unzippedSize = Number(await readFile(join(folder, sizeFile), 'utf8'));
            return use({ sha256, size, unzippedSize });
          }),
        );
      });
    },

    async tree(sha256) {
      if (!shared) return join(folders.path(sha256), treeFolder);
      const build = (folder: string): Promise<void> =>
        shared.use(sha256, (archive) => unpack(archive, folder));
      // What the configuration of a version names is retained.
      return folders.use(sha256, build, async (folder) => join(folder, treeFolder));
    },

    async openArchive(sha256) {
      // Opened first, so that a missing one is reported before the response begins.
      const file = await useArchive(sha256, (path) => open(path, 'r'));
      return createReadStream('', { fd: file });
    },

    readArchive: (sha256, use) =>
      useArchive(sha256, (path) => readArchive(path, limits.entriesMax, use)),

    async prune(keep) {
      await shared?.removeCopies();
      if (!shared) return folders.prune(keep);
      return folders.prune(async (found) => {
        // Not of this installation, or it would have been moved to the others.
        const others = new Set((await localArchives(root)).map(({ sha256 }) => sha256));
        const retained = await keep(found.filter((sha256) => !others.has(sha256)));
        return new Set([...retained, ...others]);
      });
    },
    pruneShared: async (keep) => shared?.prune(keep) ?? 0,
  };
}

/**
 * Archives that are fetched from object stores and repositories at the same time; then 429 `TooManyRequestsException` with
 * `Retry-After: 1`.
 */
const fetchingMax = 4;

const treeFolder = 'tree';
/** The size of the unpacked files, so that it need not be measured again. */
const sizeFile = 'unzipped-size';

/** Writes the archive to disk as it arrives, since it may be too large for memory. */
async function receive(
  archive: CodeArchive,
  path: string,
  bytesMax: number,
): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  await writePrivateFile(path, async (write) => {
    for await (const piece of archive instanceof Uint8Array ? pieces(archive) : archive) {
      size += piece.length;
      if (size > bytesMax)
        throw new ArchiveRefusal('too-large', 'The archive exceeds the size limit.');
      hash.update(piece);
      await write(piece);
    }
  });
  return { sha256: hash.digest('hex'), size };
}

/** Small enough that hashing one does not block other requests. */
const pieceBytes = 1024 * 1024;

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let done = 0; done < bytes.length; done += pieceBytes) {
    yield bytes.subarray(done, done + pieceBytes);
  }
}
