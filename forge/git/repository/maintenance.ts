import { removeBrokenObjects } from './broken-objects.ts';
import { copyLimits } from './fetch-objects.ts';
import { retireHelpers, runIn, writingTo } from '../commands/git-directory.ts';
import type { GitDirectory } from '../commands/git-directory.ts';
import type { MaintenanceKind, MaintenanceReport, RepositorySize } from '../maintenance-report.ts';
import { syncPacks } from './sync-packs.ts';

/**
 * How long an object that nothing names is kept: a push or merge under way may be about to name it.
 */
const expireAfter = '2.weeks.ago';

const limits = copyLimits;

/**
 * Packs refs and objects (git-repack(1)). The usual way rolls up small packs and loose objects so that each pack has at least
 * twice as many objects as the next smaller one, which costs little and drops nothing. All of it is packed anew in a full
 * run: objects that nothing names move to a pack that remembers their age, and go after two weeks.
 *
 * Both end with an index over all packs with a bitmap, which clones need, and the commit graph.
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
    await runIn(directory, ['commit-graph', 'write', '--reachable', split], { limits });
    await syncPacks(directory);
    return { before, after: await measure(directory) };
  });
  // Helpers hold the removed packs open, and their disk space with them.
  retireHelpers(directory);
  return report;
}

/** An unreadable object that nobody needs makes git give up: it is removed, and then the second try succeeds. */
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

export async function measure(directory: GitDirectory): Promise<RepositorySize> {
  const { bytes } = await runIn(directory, ['count-objects', '-v']);
  const text = bytes.toString();
  const number = (name: string): number =>
    Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  return {
    kibibytes: number('size') + number('size-pack'),
    packs: number('packs'),
    looseObjects: number('count'),
  };
}
