/** What a killed launcher could not remove. Its mounts and namespaces ended with it; files and control groups stay. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { killAndRemove, type CgroupHierarchy } from '../cgroups/cgroup.ts';
import { removeTree } from '../storage/remove-tree.ts';

/** One name for all control groups of the launchers of a folder, this one and those before it. */
export function cgroupParent(folder: string): string {
  return `hob-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`;
}

const listName = 'control-groups';

/** Only the launcher uses the directory: all contents were left by the one before. */
export async function removeStaleState(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const list = await readFile(join(folder, listName), 'utf8').catch(() => '');
  const suffix = `/${cgroupParent(folder)}`;
  for (const parent of list.split('\n').filter((path) => path.endsWith(suffix))) {
    await killAndRemove(parent);
  }
  for (const name of await readdir(folder)) {
    await removeTree(join(folder, name));
  }
}

/** Written before the first group is used, for the next launcher. */
export async function noteCgroups(folder: string, cgroups: CgroupHierarchy): Promise<void> {
  await writeFile(join(folder, listName), `${cgroups.parents.join('\n')}\n`, {
    mode: 0o600,
  });
}
