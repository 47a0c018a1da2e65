import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { ifThere, namesIn } from '#platform/absent-files.ts';

import { removeBrokenObjects } from './broken-objects.ts';
import { copyLimits } from './fetch-objects.ts';
import {
  requireRepository,
  retireHelpers,
  runIn,
  writingTo,
  type GitDirectory,
  syncPacks,
} from '../commands/git-directory.ts';
import type { MaintenanceKind, MaintenanceReport, RepositorySize } from '../git.ts';

/**
 * Unreachable objects are pruned after this time: a push or merge in progress may be about to reference one.
 */
const expireAfter = '2.weeks.ago';

const limits = copyLimits;

/**
 * Packs refs and objects (git-repack(1)). The usual way rolls up small packs and loose objects so that each pack has at least
 * twice as many objects as the next smaller one, which is cheap and removes nothing. A full run packs everything again:
 * unreachable objects move to a cruft pack, which records their age, and are pruned after two weeks.
 *
 * Both end with an index over all packs with a bitmap, which clones need, and the commit graph with filters of changed paths, which
 * histories of paths need.
 */
export async function maintain(
  directory: GitDirectory,
  kind: MaintenanceKind,
): Promise<MaintenanceReport> {
  const { host } = directory;
  const report = await writingTo(directory, async () => {
    const before = await measure(directory);
    await runIn(directory, ['pack-refs', '--all', '--prune'], { limits });
    await host.durability.sync(directory.path);
    await repack(directory, kind);
    if (kind === 'full') await runIn(directory, ['prune', `--expire=${expireAfter}`], { limits });
    const split = kind === 'full' ? '--split=replace' : '--split';
    await runIn(directory, ['commit-graph', 'write', '--reachable', '--changed-paths', split], {
      limits,
    });
    await syncPacks(directory);
    return { before, after: await measure(directory) };
  });
  // Helpers hold the removed packs open, and their disk space with them.
  retireHelpers(directory);
  return report;
}

/** git fails on an unreadable object even if no ref reaches it: such objects are removed before a second attempt. */
async function repack(directory: GitDirectory, kind: MaintenanceKind): Promise<void> {
  const how =
    kind === 'full' ? ['--cruft', `--cruft-expiration=${expireAfter}`] : ['--geometric=2'];
  const indexed = ['--write-midx', '--write-bitmap-index'];
  const run = () => runIn(directory, ['repack', '-q', '-d', '-l', ...how, ...indexed], { limits });
  try {
    await run();
  } catch (error) {
    const { removed } = await removeBrokenObjects(directory);
    if (removed.length === 0) throw error;
    await run();
  }
}

/**
 * What `git count-objects -v` reports: it follows every change of refs, and to read the folders takes a fraction of the time of a process.
 * Maintenance packs loose objects before they are many.
 */
export async function measure(directory: GitDirectory): Promise<RepositorySize> {
  await requireRepository(directory);
  const objects = join(directory.path, 'objects');
  const [loose, packs] = await Promise.all([
    measureLoose(objects),
    measurePacks(join(objects, 'pack')),
  ]);
  return {
    kibibytes: Math.floor(loose.bytes / 1024) + Math.floor(packs.bytes / 1024),
    packs: packs.count,
    packedObjects: packs.objects,
    looseObjects: loose.count,
  };
}

/** Maintenance may remove at any time what has been listed. */
async function measureLoose(objects: string): Promise<{ count: number; bytes: number }> {
  let count = 0;
  let bytes = 0;
  for (const folder of await namesIn(objects)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    const names = (await namesIn(join(objects, folder))).filter((name) => objectRest.test(name));
    const sizes = await Promise.all(
      names.map((name) => ifThere(stat(join(objects, folder, name)))),
    );
    for (const found of sizes) {
      if (!found) continue;
      count += 1;
      // Of stat(2), whatever the size of blocks of the file system.
      bytes += found.blocks * 512;
    }
  }
  return { count, bytes };
}

const objectRest = /^[0-9a-f]{38}$/;

async function measurePacks(
  folder: string,
): Promise<{ count: number; bytes: number; objects: number }> {
  const sum = { count: 0, bytes: 0, objects: 0 };
  for (const name of await namesIn(folder)) {
    if (!name.endsWith('.idx')) continue;
    const index = join(folder, name);
    const pack = await ifThere(stat(`${index.slice(0, -'.idx'.length)}.pack`));
    const objects = await objectsOfIndex(index);
    if (!pack || !objects) continue;
    sum.count += 1;
    sum.bytes += pack.size + objects.bytes;
    sum.objects += objects.count;
  }
  return sum;
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
