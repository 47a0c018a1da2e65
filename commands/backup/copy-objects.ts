import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { ifThere } from '#platform/absent-files.ts';
import { errorCode } from '#platform/error-code.ts';

import { copyEntry, type CopyMode } from './file-copies.ts';

/**
 * Copies the objects of a repository that may be pushed to and packed meanwhile: afterwards the copy has every object that
 * the repository had when the copying began.
 *
 * git makes the new file before it removes the old ones, and objects move from loose files into packs only. So loose
 * objects are copied first, then packs, until a look at the packs shows nothing that was not copied.
 */
export async function copyObjects(repository: string, copy: string): Promise<void> {
  const source = join(repository, 'objects');
  const target = join(copy, 'objects');
  await mkdir(join(target, 'pack'), { recursive: true, mode: 0o700 });
  await mkdir(join(target, 'info'), { recursive: true, mode: 0o700 });
  await once(join(repository, 'config'), join(copy, 'config'), 'copy');
  // Pushes name their packs all the time; what they add after the beginning is not asked for.
  for (let round = 1; round <= roundsMax; round += 1) {
    await copyLoose(source, target);
    const before = await packsIn(source);
    const whole = await copyPacks(before, source, target);
    const after = await packsIn(source);
    if (whole && after.every((pack) => before.includes(pack))) return;
  }
  throw new Error(`Cannot copy the packs of ${repository}: they change too fast.`);
}

/** Rounds in which a backup copies objects that pushes have added meanwhile. */
const roundsMax = 100;

async function copyLoose(source: string, target: string): Promise<void> {
  const folders = (await readdir(source)).filter((name) => /^[0-9a-f]{2}$/.test(name));
  for (const folder of folders) {
    const names = (await ifThere(readdir(join(source, folder)))) ?? [];
    const objects = names.filter((name) => /^[0-9a-f]{38,62}$/.test(name));
    if (objects.length === 0) continue;
    await mkdir(join(target, folder), { recursive: true, mode: 0o700 });
    for (const name of objects) await once(join(source, folder, name), join(target, folder, name));
  }
}

/** The packs that git can use: those with an index, which it writes last. */
async function packsIn(source: string): Promise<string[]> {
  const names = await readdir(join(source, 'pack'));
  return names
    .filter((name) => /^pack-[0-9a-f]+\.idx$/.test(name))
    .map((name) => name.slice(0, -4));
}

/** False when one went meanwhile: its objects are in a newer one. */
async function copyPacks(
  packs: readonly string[],
  source: string,
  target: string,
): Promise<boolean> {
  let whole = true;
  for (const pack of packs) {
    if (await copyPack(pack, join(source, 'pack'), join(target, 'pack'))) continue;
    whole = false;
    for (const suffix of [...companions, '.pack', '.idx']) {
      await rm(join(target, 'pack', `${pack}${suffix}`), { force: true });
    }
  }
  return whole;
}

/** What belongs to a pack where git has made it; `.mtimes` has the times at which objects of a cruft pack expire. */
const companions = ['.rev', '.mtimes', '.bitmap'];

async function copyPack(pack: string, source: string, target: string): Promise<boolean> {
  const copyPart = (suffix: string): Promise<boolean> =>
    once(join(source, `${pack}${suffix}`), join(target, `${pack}${suffix}`));
  if (!(await copyPart('.pack'))) return false;
  for (const suffix of companions) await copyPart(suffix);
  return copyPart('.idx');
}

/** Whether the file is in the copy now. Objects and packs never change, so one that is there is the same. */
async function once(source: string, target: string, mode: CopyMode = 'link'): Promise<boolean> {
  try {
    return (await copyEntry(source, target, mode)) === 'copied';
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return true;
    throw error;
  }
}
