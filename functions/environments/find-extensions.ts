import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { extensionsMax } from '../runtime-api/extensions.ts';
import type { StartFailure } from './version-spec.ts';

/** The path of the extensions inside the sandbox. */
export const extensionsFolder = '/opt/extensions';

export type FoundExtensions =
  | { readonly kind: 'found'; readonly names: readonly string[] }
  | { readonly kind: 'failed'; readonly failure: StartFailure };

/**
 * The names of the extensions that a package contains; `steps` lead there from a directory of the host. No symbolic link is followed
 * on the path: a link of the package could lead outside it.
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
