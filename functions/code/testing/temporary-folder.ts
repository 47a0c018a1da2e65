import { mkdtemp, readFile, readdir, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
  for await (const { name, path, kind } of walk(folder, '')) {
    if (kind === 'folder') found[name] = '/';
    else if (kind === 'link') found[name] = `-> ${await readlink(path)}`;
    else {
      const executable = ((await stat(path)).mode & 0o111) === 0 ? '' : '*';
      found[`${name}${executable}`] = await readFile(path, 'utf8');
    }
  }
  return found;
}

interface Found {
  /** Below the folder that was asked for. */
  readonly name: string;
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
}

/** By hand: the recursion of readdir follows links, out of the folder and round in circles. */
export async function* walk(folder: string, below: string): AsyncGenerator<Found> {
  for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
    const name = join(below, entry.name);
    const path = join(folder, name);
    const kind = entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'file';
    yield { name, path, kind };
    if (kind === 'folder') yield* walk(folder, name);
  }
}
