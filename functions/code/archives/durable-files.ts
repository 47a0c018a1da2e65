import { chmod, mkdir, open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

import { boundedTasks } from './bounded-tasks.ts';

export interface FileAttributes {
  /** Its permission bits, regardless of the umask. */
  readonly mode: number;
  /** Seconds since the epoch. */
  readonly modified: number;
}

export type Content = (write: (piece: Uint8Array) => Promise<void>) => Promise<void>;

/** Creates a file, never through a link or over another file, and resolves when it is durable. */
export async function writeNewFile(
  path: string,
  { mode, modified }: FileAttributes,
  content: Content,
): Promise<void> {
  await written(path, content, async (file) => {
    await file.utimes(modified, modified);
    await file.chmod(mode);
  });
}

/** The same for a file that only this server may read. */
export async function writePrivateFile(path: string, content: Content): Promise<void> {
  await written(path, content, async () => {});
}

async function written(
  path: string,
  content: Content,
  dress: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await content(async (piece) => {
      for (let done = 0; done < piece.length;) {
        done += (await file.write(piece, done)).bytesWritten;
      }
    });
    await dress(file);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Creates a directory that any user of the host can read, regardless of the umask. */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path);
  await chmod(path, 0o755);
}

/** Makes the entries of directories durable; parents come first in the list and are synced last. */
export async function syncFolders(paths: readonly string[]): Promise<void> {
  const tasks = boundedTasks(4);
  try {
    for (const path of paths.toReversed()) await tasks.start(() => syncFolder(path));
  } finally {
    await tasks.ended();
  }
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
