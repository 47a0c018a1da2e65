import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '#platform/error-code.ts';

export const shardMarkerFile = 'shard.json';

/** Says in a folder which shard it is: where a volume is not mounted, its mount point is an empty folder. */
export async function writeShardMarker(folder: string, key: string): Promise<void> {
  const marker = join(folder, shardMarkerFile);
  await writeFile(`${marker}.new`, textOf(key), { mode: 0o600, flush: true, flag: 'wx' });
  // Fails where another shard has got the folder meanwhile.
  await link(`${marker}.new`, marker);
  await rm(`${marker}.new`);
}

export async function hasShardMarker(folder: string, key: string): Promise<boolean> {
  try {
    return (await readFile(join(folder, shardMarkerFile), 'utf8')) === textOf(key);
  } catch (error) {
    // Not there, not readable, or its volume does not answer.
    if (errorCode(error) !== undefined) return false;
    throw error;
  }
}

function textOf(key: string): string {
  return `${JSON.stringify({ key })}\n`;
}
