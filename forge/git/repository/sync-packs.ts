import { join } from 'node:path';

import type { GitDirectory } from '../commands/git-directory.ts';

/** Makes new packs durable: git has synced the files, and this syncs their names. */
export async function syncPacks(directory: GitDirectory): Promise<void> {
  await directory.host.durability.sync(join(directory.path, 'objects', 'pack'));
}
