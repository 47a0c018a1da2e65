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

/** Bytes that code leaves to everything else on its file system, if a twentieth of it is not less; then 507. */
const leftBytesMin = 1024 ** 3;
/** The same of files, where a file system has a fixed number of them. */
const leftFilesMin = 100_000;

interface Space {
  readonly bytes: number;
  readonly files: number;
}

/** What is being written now, all of which may still need its space. */
const underWay = { bytes: 0, files: 0 };

/**
 * Runs `write`, or throws as a full disk does if the file system of a folder would have too little left: the database and
 * git, whose writes must not fail, need the last space more than code, which may be refused.
 */
export async function withDiskSpace<T>(
  folder: string,
  { bytes, files }: Space,
  write: () => Promise<T>,
): Promise<T> {
  const { bsize, blocks, bavail, files: filesMax, ffree } = await statfs(folder);
  // A file takes whole blocks.
  const wanted = { bytes: bytes + files * bsize, files };
  const free = { bytes: bavail * bsize - underWay.bytes, files: ffree - underWay.files };
  const hasBytes = free.bytes - wanted.bytes >= Math.min(leftBytesMin, (blocks * bsize) / 20);
  // Some file systems have no fixed number of files.
  const hasFiles = filesMax === 0 || free.files - files >= Math.min(leftFilesMin, filesMax / 20);
  if (!hasBytes || !hasFiles) {
    const text = `Too little would be left of the file system of ${folder} after ${bytes} bytes in ${files} files.`;
    throw Object.assign(new Error(text), { code: 'ENOSPC' });
  }
  add(wanted, 1);
  try {
    return await write();
  } finally {
    add(wanted, -1);
  }
}

function add({ bytes, files }: Space, sign: 1 | -1): void {
  underWay.bytes += sign * bytes;
  underWay.files += sign * files;
}
