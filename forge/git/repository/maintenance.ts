import { removeBrokenObjects } from './broken-objects.ts';
import { copyLimits } from './fetch-objects.ts';
import {
  retireBatchProcesses,
  runIn,
  whileMarkedDirty,
  type GitDirectory,
  syncPacks,
} from '../commands/git-directory.ts';
import type { MaintenanceKind, MaintenanceReport } from '../git.ts';
import { measure } from './measure.ts';

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
  const { state } = directory;
  const report = await whileMarkedDirty(directory, async () => {
    const before = await measure(directory);
    await runIn(directory, ['pack-refs', '--all', '--prune'], { limits });
    await state.durability.sync(directory.path);
    await repack(directory, kind);
    if (kind === 'full') await runIn(directory, ['prune', `--expire=${expireAfter}`], { limits });
    const split = kind === 'full' ? '--split=replace' : '--split';
    await runIn(directory, ['commit-graph', 'write', '--reachable', '--changed-paths', split], {
      limits,
    });
    await syncPacks(directory);
    return { before, after: await measure(directory) };
  });
  // Batch processes hold the removed packs open, and their disk space with them.
  retireBatchProcesses(directory);
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
