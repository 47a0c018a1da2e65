import { constants } from 'node:fs';
import { copyFile, link } from 'node:fs/promises';

import { syncFile } from '#platform/durable-files.ts';
import { errorCode } from '#platform/error-code.ts';

/** Gives a file a second name, or copies it where the file system has no hard links. Nothing is replaced: false if the name is taken. */
export async function linkIfAbsent(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to).catch((error: unknown) => {
      if (!noLinkCodes.includes(errorCode(error) ?? '')) throw error;
      return copy(from, to);
    });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Of file systems without hard links, and of files that have as many as they can. */
const noLinkCodes: readonly string[] = ['ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EMLINK'];

async function copy(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL);
  await syncFile(to);
}
