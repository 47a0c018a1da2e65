import { realpath } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import { errorCode } from './error-code.ts';
import { OperatorError } from './operator-error.ts';

/** A path without symbolic links. Its end may not exist yet; one that cannot be read is an `OperatorError`. */
export async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (errorCode(error) !== 'ENOENT' || parent === path) {
      throw new OperatorError(`Cannot use the folder ${path}: ${errorCode(error) ?? 'error'}.`, {
        cause: error,
      });
    }
    return join(await realPath(parent), path.slice(parent.length));
  }
}

/** Whether a folder contains another, itself included; both as `realPath` gives them. */
export function contains(folder: string, other: string): boolean {
  const path = relative(folder, other);
  return path === '' || !(path === '..' || path.startsWith('../'));
}
