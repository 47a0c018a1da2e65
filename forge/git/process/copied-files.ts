import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';

import { isAbsent } from '#platform/absent-files.ts';

import { writeWithBackpressure } from '../commands/backpressure.ts';
import type { Durability } from '../commands/durability.ts';
import { GitError } from '../git-error.ts';
import { decode, encode, formatFrame, frame, readFrames } from './wire.ts';

/** The files of a repository, each with what changes when it does. */
export type Listing = ReadonlyMap<string, string>;

interface FileHeader {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  /** In milliseconds: unreachable objects expire by it. */
  readonly mtime: number;
}

/** What killed writers leave, and what is still being written. A branch may be named like most of it: in refs, only locks are none. */
const unfinished =
  /^[^/]+\.(?:lock|new)$|^gc\.pid$|^(?:refs|objects)\/.*\.lock$|^objects\/(?:.*\/)?(?:tmp_|\.tmp-|incoming-)/;
const pieceBytes = 256 * 1024;

/**
 * Sends all files of a repository but those that the other end has, and then the list of all. What a repack removes meanwhile is left out: the
 * last copy is made while there are no writers.
 */
export async function sendFiles(path: string, output: Writable, have: Listing): Promise<void> {
  const listing = new Map<string, string>();
  for (const file of await filesIn(path, '')) {
    const stamp = await sendFile(path, file, output, have.get(file)).catch((error: unknown) => {
      if (isAbsent(error)) return undefined;
      throw error;
    });
    if (stamp !== undefined) listing.set(file, stamp);
  }
  await writeWithBackpressure(output, formatFrame(frame.list, encode(listing)));
  await writeWithBackpressure(output, formatFrame(frame.end, Buffer.alloc(0)));
}

async function sendFile(
  root: string,
  path: string,
  output: Writable,
  had: string | undefined,
): Promise<string> {
  const file = await open(join(root, path), 'r');
  try {
    const { size, mode, mtimeNs, ino } = await file.stat({ bigint: true });
    const stamp = `${size} ${mtimeNs} ${ino}`;
    // Refs are small, and of what else is not an object, nothing promises that its times change with it.
    if (stamp === had && path.startsWith('objects/')) return stamp;
    const header: FileHeader = {
      path,
      size: Number(size),
      mode: Number(mode) & 0o777,
      mtime: Number(mtimeNs / 1_000_000n),
    };
    await writeWithBackpressure(output, formatFrame(frame.file, encode(header)));
    for (let sent = 0; sent < header.size;) {
      const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, header.size - sent));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, sent);
      if (bytesRead === 0)
        throw new GitError('failed', `${path} became shorter while it was read.`);
      if (output.destroyed) throw new GitError('failed', 'The copy of a repository broke off.');
      await writeWithBackpressure(output, formatFrame(frame.data, buffer.subarray(0, bytesRead)));
      sent += bytesRead;
    }
    return stamp;
  } finally {
    await file.close();
  }
}

/** Paths below the root; there are folders and regular files only. */
async function filesIn(root: string, folder: string): Promise<string[]> {
  const files: string[] = [];
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(
    (error: unknown) => {
      // A folder of loose objects, or of refs, that has become empty.
      if (folder !== '' && isAbsent(error)) return [];
      throw isAbsent(error)
        ? new GitError('missing-repository', `No repository at ${root}.`, { cause: error })
        : error;
    },
  );
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (unfinished.test(path)) continue;
    if (entry.isDirectory()) files.push(...(await filesIn(root, path)));
    else if (entry.isFile()) files.push(path);
    else
      throw new GitError('failed', `${path} is no regular file: such a repository is not moved.`);
  }
  return files;
}

/** Writes what `sendFiles` sends into a folder, durably, and removes from it what is not in the list, which it gives. */
export async function receiveFiles(
  path: string,
  input: AsyncIterable<Buffer>,
  durability: Pick<Durability, 'syncDirectories'>,
): Promise<Listing> {
  const folders = new Set([path, dirname(path)]);
  await mkdir(path, { recursive: true });
  // All of that comes again: a name in refs may be a folder now that was a file.
  for (const name of await readdir(path))
    if (name !== 'objects') await rm(join(path, name), { recursive: true, force: true });
  let writing: ReceivedFile | undefined;
  let listing: Listing | undefined;
  let whole = false;
  try {
    for await (const { kind, content } of readFrames(input)) {
      if (kind === frame.data) await writing?.append(content);
      else await writing?.finish();
      if (kind !== frame.data) writing = undefined;
      if (kind === frame.file) {
        const header = decode<FileHeader>(content);
        writing = await ReceivedFile.create(path, header);
        for (let folder = dirname(header.path); folder !== '.'; folder = dirname(folder))
          folders.add(join(path, folder));
      }
      if (kind === frame.list) listing = decode<Listing>(content);
      if (kind === frame.end) whole = true;
    }
  } finally {
    await writing?.abandon();
  }
  if (!whole || !listing) throw new GitError('failed', 'The copy of a repository broke off.');
  for (const file of await filesIn(path, ''))
    if (!listing.has(file)) await rm(join(path, file), { force: true });
  // git knows a repository by these folders, also where they are empty.
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags']) {
    await mkdir(join(path, folder), { recursive: true });
    folders.add(join(path, folder)).add(join(path, dirname(folder)));
  }
  await durability.syncDirectories(folders);
  return listing;
}

class ReceivedFile {
  readonly #file: Awaited<ReturnType<typeof open>>;
  readonly #header: FileHeader;
  #received = 0;

  private constructor(file: Awaited<ReturnType<typeof open>>, header: FileHeader) {
    this.#file = file;
    this.#header = header;
  }

  static async create(root: string, header: FileHeader): Promise<ReceivedFile> {
    const names = header.path.split('/');
    if (names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\0')))
      throw new GitError('failed', 'A copied file has no path inside its repository.');
    const path = join(root, header.path);
    await mkdir(dirname(path), { recursive: true });
    await rm(path, { force: true });
    return new ReceivedFile(await open(path, 'wx', 0o600), header);
  }

  async append(bytes: Buffer): Promise<void> {
    await this.#file.appendFile(bytes);
    this.#received += bytes.length;
  }

  async finish(): Promise<void> {
    const { size, mode, mtime, path } = this.#header;
    if (this.#received !== size) throw new GitError('failed', `${path} arrived incomplete.`);
    await this.#file.chmod(mode);
    await this.#file.utimes(mtime / 1000, mtime / 1000);
    await this.#file.sync();
    await this.#file.close();
  }

  async abandon(): Promise<void> {
    await this.#file.close();
  }
}
