import { readdir } from 'node:fs/promises';

import { errorCode } from './error-code.ts';

/** Whether a file system error says that nothing is there. */
export function isAbsent(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Undefined when what is read is not there (any more). */
export async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** The names in a folder, with `below` also the paths in its folders; none where there is no folder. */
export async function namesIn(folder: string, below = false): Promise<string[]> {
  return (await ifThere(readdir(folder, { recursive: below }))) ?? [];
}
