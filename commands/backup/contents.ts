import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, open, readdir, readFile, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';

import Type, { type Static } from 'typebox';

import { OperatorError } from '#platform/operator-error.ts';
import { SchemaCheck } from '#platform/schema-check.ts';

import { inParallel } from './in-parallel.ts';
import { contentsFile } from './manifest.ts';

/** One line of the list of contents. */
export type Entry = Static<typeof entryShape>;

const common = {
  /** Below the folder of the backup; names are joined by `/`. */
  path: Type.String(),
  uid: Type.Number(),
  gid: Type.Number(),
  /** Milliseconds since the epoch. */
  mtime: Type.Number(),
};

const entryShape = Type.Union([
  Type.Object({ type: Type.Literal('folder'), ...common, mode: Type.Number() }),
  Type.Object({
    type: Type.Literal('file'),
    ...common,
    mode: Type.Number(),
    size: Type.Number(),
    sha256: Type.String(),
  }),
  Type.Object({ type: Type.Literal('link'), ...common, target: Type.String() }),
]);

const validEntry = new SchemaCheck(entryShape);

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export interface ContentsSummary {
  readonly entries: number;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Lists what is in a backup, with checksums, and makes all of it durable; the list too. What the backup has written itself
 * is listed as the owner's whose data it is: root may make the backup of a server that is not root's.
 */
export async function writeContents(
  backup: string,
  owner: Owner,
  onProgress: (files: number) => void,
): Promise<ContentsSummary> {
  const paths = await pathsBelow(backup);
  const entries = new Map<string, Entry>();
  await inParallel(paths, 8, async (path) => {
    entries.set(path, await describe(backup, path, owner));
    onProgress(entries.size);
  });
  await syncPath(backup);
  const lines = paths.map((path) => `${JSON.stringify(entries.get(path))}\n`);
  const file = await open(join(backup, contentsFile), 'wx', 0o600);
  const hash = createHash('sha256');
  try {
    for (const line of lines) {
      hash.update(line);
      await file.appendFile(line);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  const bytes = [...entries.values()].reduce(
    (sum, entry) => sum + (entry.type === 'file' ? entry.size : 0),
    0,
  );
  return { entries: paths.length, bytes, sha256: hash.digest('hex') };
}

/** Reads the list and refuses one that is not the manifest's. */
export async function readContents(backup: string, sha256: string): Promise<Entry[]> {
  const path = join(backup, contentsFile);
  const text = await readFile(path);
  if (createHash('sha256').update(text).digest('hex') === sha256) {
    const lines = text
      .toString()
      .split('\n')
      .filter((line) => line !== '');
    const entries = lines.map((line) => parseEntry(line, path));
    requireFolders(entries, path);
    return entries;
  }
  throw new OperatorError(
    `The backup is damaged: ${path} does not match the checksum in its manifest.`,
  );
}

function parseEntry(line: string, path: string): Entry {
  try {
    const value: unknown = JSON.parse(line);
    // The list may be forged: nothing may be written outside the folder that is restored to (see requireFolders as well).
    if (validEntry.accepts(value) && !value.path.split('/').includes('..')) return value;
  } catch {
    // Not JSON: reported below, like anything else that is not an entry.
  }
  throw invalidLine(path);
}

function invalidLine(path: string): OperatorError {
  return new OperatorError(`The backup is damaged: ${path} contains an invalid line.`);
}

/** What is in something is in a folder: a forged list may have a link there, through which its files would be written anywhere. */
function requireFolders(entries: readonly Entry[], path: string): void {
  const folders = new Set(entries.flatMap((entry) => (entry.type === 'folder' ? entry.path : [])));
  for (const entry of entries) {
    const parent = posix.dirname(entry.path);
    if (parent !== '.' && !folders.has(parent)) throw invalidLine(path);
  }
}

/** Folders come before what is in them. */
async function pathsBelow(backup: string): Promise<string[]> {
  const paths: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(backup, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      paths.push(path);
      if (entry.isDirectory()) folders.push(path);
    }
  }
  return paths;
}

async function describe(backup: string, path: string, owner: Owner): Promise<Entry> {
  const full = join(backup, path);
  const stats = await lstat(full);
  const { uid, gid } = stats.uid === process.getuid?.() ? owner : stats;
  const entry = { path, uid, gid, mtime: Math.trunc(stats.mtimeMs) };
  if (stats.isSymbolicLink()) return { type: 'link', ...entry, target: await readlink(full) };
  const mode = permissions(stats);
  if (stats.isDirectory()) {
    await syncPath(full);
    return { type: 'folder', ...entry, mode };
  }
  const { sha256, size } = await digest(full);
  return { type: 'file', ...entry, mode, size, sha256 };
}

function permissions({ mode }: Stats): number {
  return mode & 0o7777;
}

async function digest(path: string): Promise<{ sha256: string; size: number }> {
  const file = await open(path, 'r');
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const piece of file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 })) {
      hash.update(piece);
      size += piece.length;
    }
    await file.sync();
    return { sha256: hash.digest('hex'), size };
  } finally {
    await file.close();
  }
}

async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
