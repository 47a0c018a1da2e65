import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import type { Files } from './function-service.ts';
import { rootFolder } from './running-server.ts';

/** The files of an npm package and of everything that it depends on, as an archive of a function needs them. */
export async function filesOfPackage(name: string): Promise<Files> {
  const folders = new Set<string>();
  await addPackage(name, rootFolder, folders);
  const files: Record<string, Buffer> = {};
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      // Packages below have their own turn, if they are needed.
      const isOwn = !relative(folder, path).split('/').includes('node_modules');
      if (entry.isFile() && isOwn && isNeeded(entry.name)) {
        files[relative(rootFolder, path)] = await readFile(path);
      }
    }
  }
  return files;
}

/** Types and source maps are no part of a program. */
function isNeeded(name: string): boolean {
  return !/\.(d\.[cm]?ts|ts|map|md)$/.test(name);
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

async function addPackage(name: string, from: string, folders: Set<string>): Promise<void> {
  const found = await findPackage(name, from);
  if (folders.has(found.folder)) return;
  folders.add(found.folder);
  for (const dependency of Object.keys(found.manifest.dependencies ?? {})) {
    await addPackage(dependency, found.folder, folders);
  }
}

/** As Node looks for it: in the `node_modules` of a folder, then in those above. */
async function findPackage(
  name: string,
  from: string,
): Promise<{ readonly folder: string; readonly manifest: Manifest }> {
  const folder = join(from, 'node_modules', name);
  try {
    return { folder, manifest: JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) };
  } catch (error) {
    if (from === rootFolder) throw error;
    return findPackage(name, join(from, '..'));
  }
}
