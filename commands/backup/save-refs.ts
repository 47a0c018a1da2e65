import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ifThere } from '#platform/absent-files.ts';

/**
 * Writes HEAD and all refs of a bare repository, as they are now, into its copy. False when there is no such repository.
 *
 * Loose refs are read before packed ones: `git pack-refs` writes `packed-refs` first and removes the loose ones then, so a
 * ref is found in one of the two.
 */
export async function saveRefs(repository: string, copy: string): Promise<boolean> {
  const head = await readIfThere(join(repository, 'HEAD'));
  if (head === undefined) return false;
  const loose = await looseRefs(repository);
  const refs = packedRefs((await readIfThere(join(repository, 'packed-refs'))) ?? '');
  for (const [name, id] of loose) refs.set(name, id);
  const names = [...refs.keys()].toSorted();
  const lines = names.map((name) => `${refs.get(name) ?? ''} ${name}\n`);
  await mkdir(join(copy, 'refs', 'heads'), { recursive: true, mode: 0o700 });
  await mkdir(join(copy, 'refs', 'tags'), { recursive: true, mode: 0o700 });
  await writeFile(join(copy, 'HEAD'), head, { mode: 0o600 });
  await writeFile(join(copy, 'packed-refs'), lines.join(''), { mode: 0o600 });
  return true;
}

/** See gitrepository-layout, `packed-refs`: comments and the values of annotated tags are not refs. */
function packedRefs(text: string): Map<string, string> {
  const refs = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, id, name] = /^([0-9a-f]{40,64}) (.+)$/.exec(line) ?? [];
    if (id !== undefined && name !== undefined) refs.set(name, id);
  }
  return refs;
}

async function looseRefs(repository: string): Promise<[string, string][]> {
  const found: [string, string][] = [];
  const folders = ['refs'];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of (await ifThere(
      readdir(join(repository, folder), { withFileTypes: true }),
    )) ?? []) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(name);
      else if (!name.endsWith('.lock')) {
        const id = (await readIfThere(join(repository, name)))?.trim();
        if (id !== undefined && /^[0-9a-f]{40,64}$/.test(id)) found.push([name, id]);
      }
    }
  }
  return found;
}

async function readIfThere(path: string): Promise<string | undefined> {
  return ifThere(readFile(path, 'utf8'));
}
