import { lstat, mkdir, readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import { exists } from '#forge/git/commands/durability.ts';
import {
  hasShardMarker,
  shardMarkerFile,
  writeShardMarker,
} from '#forge/git/process/shard-marker.ts';
import { serverIdFile } from '#platform/data-directory.ts';
import { syncFolder } from '#platform/durable-files.ts';
import { errorCode } from '#platform/error-code.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { contains, realPath } from '#platform/real-path.ts';

import type { GitShard } from './shard-store.ts';

/** Makes the folder of a new shard, with the key by which servers know it. `others` are the folders of the other shards. */
export async function createShardFolder(
  folder: string,
  key: string,
  { data, others }: { readonly data: string; readonly others: readonly string[] },
): Promise<void> {
  if (resolve(folder) !== folder) {
    throw new OperatorError(
      `--folder is an absolute path without ".." and final slash, the same on every server that reaches it, not "${folder}".`,
    );
  }
  await refuseNested(await realPath(folder), data, others);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stats = await lstat(folder);
  if (!stats.isDirectory()) throw new OperatorError(`${folder} is not a folder.`);
  if ((stats.mode & 0o022) !== 0) {
    throw new OperatorError(
      `Other users can write to the folder ${folder}. Restrict access: chmod go-w ${folder}`,
    );
  }
  const entries = (await readdir(folder)).filter((name) => name !== 'lost+found');
  if (entries.length > 0) throw notEmpty(folder);
  await writeShardMarker(folder, key).catch((error: unknown) => {
    // Another command was faster.
    throw errorCode(error) === 'EEXIST' ? notEmpty(folder) : error;
  });
  await syncFolder(folder);
}

function notEmpty(folder: string): OperatorError {
  return new OperatorError(`The folder ${folder} is not empty. Use a new folder for each shard.`);
}

/** Removing the one would remove the other. Folders of other installations are known by what is in them. */
async function refuseNested(
  folder: string,
  data: string,
  others: readonly string[],
): Promise<void> {
  for (const [other, name] of [
    [data, 'the data directory'],
    ...others.map((each) => [each, 'the folder of another shard'] as const),
  ] as const) {
    const path = await realPath(other);
    if (!contains(path, folder) && !contains(folder, path)) continue;
    throw new OperatorError(
      `${folder} and ${path}, ${name}, are the same, or one is inside the other. Use another folder.`,
    );
  }
  for (let outer = dirname(folder); outer !== dirname(outer); outer = dirname(outer)) {
    for (const file of [shardMarkerFile, serverIdFile]) {
      if (!(await exists(join(outer, file)))) continue;
      throw new OperatorError(
        `${folder} is inside ${outer}, which is a shard or a data directory: it has a file ${file}. Use another folder.`,
      );
    }
  }
}

/** Whether the folder of the shard is here. The default one always is. */
export async function reachesShard({
  folder,
  folderKey,
}: Pick<GitShard, 'folder' | 'folderKey'>): Promise<boolean> {
  if (folder === undefined || folderKey === undefined) return true;
  return hasShardMarker(folder, folderKey);
}
