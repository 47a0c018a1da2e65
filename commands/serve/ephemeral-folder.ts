import { access, constants, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { errorCode } from '#platform/error-code.ts';

const prefix = 'hob-ephemeral-';
const memoryFolder = '/dev/shm';
/** Room for code, a database and repositories of tests. */
const memoryBytesMin = 256 * 1024 * 1024;

/**
 * A folder for a server that retains nothing, in memory where the host has room for it. Folders that killed servers left behind are
 * removed first.
 */
export async function makeEphemeralFolder(): Promise<string> {
  const parent = (await hasMemoryFolder()) ? memoryFolder : tmpdir();
  await removeLeftovers(parent);
  return mkdtemp(join(parent, `${prefix}${process.pid}-`));
}

/** Whether programs may run in it too: container engines mount it with `noexec`, and code of functions is started from the folder. */
async function hasMemoryFolder(): Promise<boolean> {
  try {
    await access(memoryFolder, constants.W_OK);
    const mounts = await readFile('/proc/self/mountinfo', 'utf8');
    if (!allowsPrograms(mounts, memoryFolder)) return false;
    const { bavail, bsize } = await statfs(memoryFolder);
    return bavail * bsize >= memoryBytesMin;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EROFS') return false;
    throw error;
  }
}

/** Reads proc_pid_mountinfo(5): the mount point is the fifth field, its options are the sixth, the type follows ` - `. */
export function allowsPrograms(mountinfo: string, folder: string): boolean {
  const mount = mountinfo
    .split('\n')
    .map((line) => line.split(' '))
    .findLast((fields) => fields[4] === folder);
  const type = mount?.[mount.indexOf('-') + 1];
  return type === 'tmpfs' && !(mount?.[5] ?? '').split(',').includes('noexec');
}

async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]);
    if (Number.isNaN(pid) || isRunning(pid)) continue;
    // Another user's server may have left it.
    await rm(join(parent, name), { recursive: true, force: true }).catch((error: unknown) => {
      const code = errorCode(error);
      if (code !== 'EACCES' && code !== 'EPERM') throw error;
    });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
