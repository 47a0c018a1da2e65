import { mkdtemp, readFile, readdir, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** A folder that is gone when the work has ended. */
export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-code-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What is in a folder: path to content, `-> target` for links, `/` for folders. Executable files have a `*`. */
export async function listed(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path);
    if (entry.isDirectory()) found[name] = '/';
    else if (entry.isSymbolicLink()) found[name] = `-> ${await readlink(path)}`;
    else {
      const executable = ((await stat(path)).mode & 0o111) === 0 ? '' : '*';
      found[`${name}${executable}`] = await readFile(path, 'utf8');
    }
  }
  return found;
}
