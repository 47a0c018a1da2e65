import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { ifThere, namesIn } from '#platform/absent-files.ts';

import { type GitDirectory, requireRepository } from '../commands/git-directory.ts';
import type { RepositorySize } from '../git.ts';

/**
 * How many files are looked at: far more than there are where maintenance succeeds, which begins at 2,000 loose objects and 50 packs. The
 * rest is estimated from those: every change of refs measures again, and must not slow down as maintenance keeps failing.
 */
export interface MeasuredMost {
  readonly looseObjects: number;
  readonly packs: number;
}

/** Loose objects and packs that are looked at to measure a repository after a change; the rest is estimated. */
const measuredLimits: MeasuredMost = { looseObjects: 20_000, packs: 1000 };

/**
 * What `git count-objects -v` reports: it follows every change of refs, and to read the folders takes a fraction of the time of a process.
 * Maintenance packs loose objects before they are many.
 */
export async function measure(directory: GitDirectory): Promise<RepositorySize> {
  await requireRepository(directory);
  return measureObjects(join(directory.path, 'objects'), measuredLimits);
}

export async function measureObjects(objects: string, most: MeasuredMost): Promise<RepositorySize> {
  const [loose, packs] = await Promise.all([
    measureLoose(objects, most.looseObjects),
    measurePacks(join(objects, 'pack'), most.packs),
  ]);
  return {
    kibibytes: Math.floor(loose.bytes / 1024) + Math.floor(packs.bytes / 1024),
    packs: packs.count,
    packedObjects: packs.objects,
    looseObjects: loose.count,
  };
}

/** Maintenance may remove at any time what has been listed. The folders are of hashes, so that each has about as many objects. */
async function measureLoose(
  objects: string,
  most: number,
): Promise<{ count: number; bytes: number }> {
  const folders = (await namesIn(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const sum = { count: 0, bytes: 0 };
  let folderCount = 0;
  for (const folder of folders) {
    if (sum.count >= most) break;
    folderCount += 1;
    const names = (await namesIn(join(objects, folder))).filter((name) => objectRest.test(name));
    const measured = names.slice(0, most);
    const sizes = await Promise.all(
      measured.map((name) => ifThere(stat(join(objects, folder, name)))),
    );
    const there = sizes.filter((found) => found !== undefined);
    const share = timesAs(names.length, measured.length);
    sum.count += there.length * share;
    // Of stat(2), whatever the size of blocks of the file system.
    for (const { blocks } of there) sum.bytes += blocks * 512 * share;
  }
  const factor = timesAs(folders.length, folderCount);
  return { count: Math.round(sum.count * factor), bytes: Math.round(sum.bytes * factor) };
}

const objectRest = /^[0-9a-f]{38}$/;

async function measurePacks(
  folder: string,
  most: number,
): Promise<{ count: number; bytes: number; objects: number }> {
  const names = (await namesIn(folder)).filter((name) => name.endsWith('.idx'));
  const measured = names.slice(0, most);
  const sum = { count: 0, bytes: 0, objects: 0 };
  for (const name of measured) {
    const index = join(folder, name);
    const pack = await ifThere(stat(`${index.slice(0, -'.idx'.length)}.pack`));
    const objects = await objectsOfIndex(index);
    if (!pack || !objects) continue;
    sum.count += 1;
    sum.bytes += pack.size + objects.bytes;
    sum.objects += objects.count;
  }
  const factor = timesAs(names.length, measured.length);
  return {
    count: Math.round(sum.count * factor),
    bytes: Math.round(sum.bytes * factor),
    objects: Math.round(sum.objects * factor),
  };
}

/** How many times as many there are as were measured. */
function timesAs(all: number, measured: number): number {
  return measured === 0 ? 1 : all / measured;
}

/** After the header and 255 counts of the fan-out table comes the number of all objects (gitformat-pack(5)). */
const countOffset = 8 + 255 * 4;

async function objectsOfIndex(path: string): Promise<{ bytes: number; count: number } | undefined> {
  const file = await ifThere(open(path));
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    const { bytesRead, buffer } = await file.read(Buffer.alloc(4), 0, 4, countOffset);
    return bytesRead === 4 ? { bytes: size, count: buffer.readUInt32BE() } : undefined;
  } finally {
    await file.close();
  }
}
