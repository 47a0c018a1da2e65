import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { extensionsMax } from '../runtime-api/extensions.ts';
import type { StartFailure } from './version-spec.ts';

/** Where programs see theirs. */
export const extensionsFolder = '/opt/extensions';

export type FoundExtensions =
  | { readonly kind: 'found'; readonly names: readonly string[] }
  | { readonly kind: 'failed'; readonly failure: StartFailure };

/**
 * The names of the programs that a package has for the side of the function's; `steps` lead there from a folder of the host. No
 * link is followed on the way: what a package has unpacked could lead out of it.
 */
export async function findExtensions(
  folder: string | undefined,
  ...steps: readonly string[]
): Promise<FoundExtensions> {
  const names = folder === undefined ? [] : await programsIn(folder, steps);
  if (names.length <= extensionsMax) return { kind: 'found', names };
  const text = `The function has ${names.length} extensions; the maximum is ${extensionsMax}.`;
  return { kind: 'failed', failure: { code: 'FunctionError.TooManyExtensions', text } };
}

async function programsIn(folder: string, steps: readonly string[]): Promise<string[]> {
  let path = folder;
  for (const step of steps) {
    path = join(path, step);
    if (!(await isFolder(path))) return [];
  }
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch {
    // There is nothing, as usual.
    return false;
  }
}
