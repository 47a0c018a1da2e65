import { lstat, mkdir, readdir } from 'node:fs/promises';
import { relative, resolve } from 'node:path';

import { hasShardMarker, writeShardMarker } from '#forge/git/process/shard-marker.ts';
import { syncFolder } from '#platform/durable-files.ts';
import { OperatorError } from '#platform/operator-error.ts';

import type { GitShard } from './shard-store.ts';

/** Makes the folder of a new shard, with the key by which servers know it. */
export async function createShardFolder(folder: string, key: string, data: string): Promise<void> {
  if (resolve(folder) !== folder) {
    throw new OperatorError(
      `--folder is an absolute path without ".." and final slash, the same on every server that reaches it, not "${folder}".`,
    );
  }
  if (isWithin(data, folder) || isWithin(folder, data)) {
    throw new OperatorError(
      `The folder of a shard and the data directory ${data} cannot be inside each other.`,
    );
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stats = await lstat(folder);
  if (!stats.isDirectory()) throw new OperatorError(`${folder} is not a folder.`);
  if ((stats.mode & 0o022) !== 0) {
    throw new OperatorError(
      `Other users can write to the folder ${folder}. Restrict access: chmod go-w ${folder}`,
    );
  }
  const entries = (await readdir(folder)).filter((name) => name !== 'lost+found');
  if (entries.length > 0) {
    throw new OperatorError(`The folder ${folder} is not empty. Use a new folder for each shard.`);
  }
  await writeShardMarker(folder, key);
  await syncFolder(folder);
}

/** Whether the folder of the shard is here. The default one always is. */
export async function reachesShard({
  folder,
  folderKey,
}: Pick<GitShard, 'folder' | 'folderKey'>): Promise<boolean> {
  if (folder === undefined || folderKey === undefined) return true;
  return hasShardMarker(folder, folderKey);
}

function isWithin(outer: string, inner: string): boolean {
  const path = relative(outer, inner);
  return path !== '..' && !path.startsWith('../');
}
