import { statfs } from 'node:fs/promises';

/** Less does not count as free: a failed write may have freed it. */
const leastBytes = 256 * 1024;

/**
 * Whether the file system of a folder has no space for another file. For programs that fail there and do not say why: the space
 * may have come back, or gone, since.
 */
export async function isDiskFull(folder: string): Promise<boolean> {
  const { bsize, bavail, files, ffree } = await statfs(folder);
  // Some file systems have no fixed number of files.
  return bavail * bsize < leastBytes || (files > 0 && ffree === 0);
}
