import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { findMemoryFolder } from '#platform/memory-folder.ts';

/** All files of a run stay below 1 GiB. */
const bytesMin = 4 * 1024 ** 3;

/**
 * Runs tests whose temporary files are in memory if the host has enough: a sixth of their time is the disk's. Tests of faults, kills
 * and crashes keep to the disk (`keepsToDisk` in test-kinds.ts).
 */
export async function withTestFolder<T>(
  run: (environment: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const parent = await findMemoryFolder(bytesMin);
  if (parent === undefined) return run({});
  const folder = await mkdtemp(join(parent, 'hob-test-'));
  try {
    // As /tmp: tests run programs as other users.
    await chmod(folder, 0o1777);
    return await run({ TMPDIR: folder });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
