import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { errorCode } from '#platform/error-code.ts';

/** The suffix of a stream's file that was rotated when it was full. */
export const fullSuffix = '.1';

/** Bytes of a log that are looked through at once for the beginning of a line: more than the longest line that is stored. */
export const lineBytesMax = 512 * 1024;

/**
 * Characters of the folder name of a log group; longer ones end in a hash, because they do not fit
 * the file system if every character is escaped.
 */
const folderNameCharactersMax = 200;

/** The directory of a group: its name, with everything escaped that is special to a file system. */
export function groupFolder(folder: string, group: string): string {
  const escaped = group.replaceAll(
    /^\.|[^\w.-]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
  if (escaped.length <= folderNameCharactersMax) return join(folder, escaped);
  const digest = createHash('sha256').update(group).digest('hex');
  return join(
    folder,
    `${escaped.slice(0, folderNameCharactersMax - digest.length - 1)}${shortened}${digest}`,
  );
}

/** Marks a shortened name: every `~` of a group's own name is escaped. */
const shortened = '~';
/** The suffix of the file, next to the directory of a shortened name, that contains the whole name. */
const wholeNameSuffix = '.name';

/** Stores the name of a group whose directory name is shortened. */
export async function noteGroupName(groupPath: string, group: string): Promise<void> {
  if (basename(groupPath).includes(shortened)) {
    await writeFile(`${groupPath}${wholeNameSuffix}`, group, { mode: 0o600 });
  }
}

/** The names of all groups, in order. */
export async function listGroups(folder: string): Promise<string[]> {
  const entries = (await orMissing(readdir(folder, { withFileTypes: true }))) ?? [];
  const names = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) =>
        name.includes(shortened)
          ? orMissing(readFile(join(folder, `${name}${wholeNameSuffix}`), 'utf8'))
          : name.replaceAll(/%([0-9A-F]{2})/g, (_escape, code: string) =>
              String.fromCharCode(Number.parseInt(code, 16)),
            ),
      ),
  );
  return names.filter((name) => name !== undefined).toSorted();
}

export interface StreamFile {
  readonly path: string;
  /** Name of the stream. */
  readonly stream: string;
  readonly bytes: number;
  /** Epoch milliseconds. */
  readonly modified: number;
}

/** Every stream of a group, including its rotated file; the least recently written first. */
export async function listStreams(groupPath: string): Promise<StreamFile[]> {
  const files: StreamFile[] = [];
  for (const path of await filesBelow(groupPath)) {
    if (path.endsWith(fullSuffix)) continue;
    const found = await statOf(path);
    const full = await statOf(`${path}${fullSuffix}`);
    if (!found) continue;
    files.push({
      path,
      stream: path.slice(groupPath.length + 1),
      bytes: found.size + (full?.size ?? 0),
      modified: found.mtimeMs,
    });
  }
  return files.toSorted((one, other) => one.modified - other.modified);
}

/** Identity and size of a file; undefined when there is none. */
export async function statOf(
  path: string,
): Promise<{ ino: number; size: number; mtimeMs: number; birthtimeMs: number } | undefined> {
  return orMissing(stat(path));
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries =
    (await orMissing(readdir(folder, { withFileTypes: true, recursive: true }))) ?? [];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Undefined for a file that does not exist. */
export async function orMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
