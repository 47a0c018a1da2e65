import { retireHelpers, runIn, writingTo } from './git-directory.ts';
import type { GitDirectory } from './git-directory.ts';
import { copyLimits } from './fetch-objects.ts';
import { syncPacks } from './sync-packs.ts';

/**
 * How long an object that nothing names is kept: a push or merge under way may be about to name it.
 */
const keptFor = '2.weeks.ago';

/** Packs refs and objects. Objects that nothing names move to a pack that remembers their age. */
export async function maintain(directory: GitDirectory): Promise<void> {
  const { host } = directory;
  await writingTo(directory, async () => {
    const limits = copyLimits;
    await runIn(directory, ['pack-refs', '--all', '--prune'], { limits });
    await host.durability.sync(directory.path);
    await runIn(
      directory,
      ['repack', '-q', '-d', '-l', '--cruft', `--cruft-expiration=${keptFor}`],
      { limits },
    );
    await runIn(directory, ['prune', `--expire=${keptFor}`], { limits });
    await runIn(directory, ['commit-graph', 'write', '--reachable'], { limits });
    await syncPacks(directory);
  });
  // Helpers hold the removed packs open, and their disk space with them.
  retireHelpers(directory);
}

/** Kibibytes on disk. */
export async function sizeOf(directory: GitDirectory): Promise<number> {
  const { bytes } = await runIn(directory, ['count-objects', '-v']);
  const text = bytes.toString();
  const loose = /^size: (\d+)$/m.exec(text)?.[1];
  const packed = /^size-pack: (\d+)$/m.exec(text)?.[1];
  return Number(loose ?? 0) + Number(packed ?? 0);
}
