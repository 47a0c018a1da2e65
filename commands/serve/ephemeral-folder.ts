import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ifThere } from '#platform/absent-files.ts';
import { systemClock } from '#platform/clock.ts';
import { isLocked } from '#platform/data-directory.ts';
import { errorCode } from '#platform/error-code.ts';
import { findMemoryFolder } from '#platform/memory-folder.ts';

const prefix = 'hob-ephemeral-';
/**
 * Free space of a file system in memory from which a server without a data folder stores its data there: enough for code, a
 * database and repositories of tests.
 */
const memoryBytesMin = 256 * 1024 * 1024;

/**
 * A folder for a server that retains nothing, in memory if the host has enough. Folders that killed servers left behind are
 * removed first.
 */
export async function makeEphemeralFolder(): Promise<string> {
  const parent = (await findMemoryFolder(memoryBytesMin)) ?? tmpdir();
  await removeStaleFiles(parent);
  return mkdtemp(join(parent, `${prefix}${process.pid}-`));
}

async function removeStaleFiles(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]);
    if (Number.isNaN(pid) || isRunning(pid)) continue;
    // Another user's server may have left it.
    await removeUnlessUsed(join(parent, name)).catch((error: unknown) => {
      const code = errorCode(error);
      if (code !== 'EACCES' && code !== 'EPERM') throw error;
    });
  }
}

/** Age at which a folder that no server has locked yet is removed. */
const unusedMilliseconds = 60_000;

/** Containers may share the parent: the numbers of their processes mean nothing here. */
async function removeUnlessUsed(folder: string): Promise<void> {
  const stats = await ifThere(stat(folder));
  if (!stats || stats.uid !== process.getuid?.()) return;
  const locked = await isLocked(folder);
  const isNew = stats.mtimeMs > systemClock.now() - unusedMilliseconds;
  if (locked === true || (locked === undefined && isNew)) return;
  await rm(folder, { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
