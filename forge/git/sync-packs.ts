import { join } from 'node:path';

import type { GitDirectory } from './git-directory.ts';

/** Makes new packs durable: git has synced the files, and this syncs their names. */
export async function syncPacks(directory: GitDirectory): Promise<void> {
  const objects = join(directory.path, 'objects');
  await directory.host.durability.sync(join(objects, 'pack'));
  await directory.host.durability.sync(objects);
}
