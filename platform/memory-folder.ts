import { access, constants, readFile, statfs } from 'node:fs/promises';

import { errorCode } from './error-code.ts';

const folder = '/dev/shm';

/**
 * A folder in memory with `bytesMin` bytes free, in which programs may run, which container engines forbid with `noexec`; undefined
 * where the host has none.
 */
export async function findMemoryFolder(bytesMin: number): Promise<string | undefined> {
  try {
    await access(folder, constants.W_OK);
    const mounts = await readFile('/proc/self/mountinfo', 'utf8');
    if (!allowsPrograms(mounts, folder)) return undefined;
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= bytesMin ? folder : undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EROFS') return undefined;
    throw error;
  }
}

/** Reads proc_pid_mountinfo(5): the mount point is the fifth field, its options are the sixth, the type follows ` - `. */
export function allowsPrograms(mountinfo: string, mountPoint: string): boolean {
  const mount = mountinfo
    .split('\n')
    .map((line) => line.split(' '))
    .findLast((fields) => fields[4] === mountPoint);
  const type = mount?.[mount.indexOf('-') + 1];
  return type === 'tmpfs' && !(mount?.[5] ?? '').split(',').includes('noexec');
}
