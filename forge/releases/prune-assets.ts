import { hostTime } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';

import type { Ports } from '../ports/ports.ts';
import { referencedFiles } from './asset-store.ts';

/**
 * Time that the file of a deleted asset stays. A backup may name files of assets that were deleted since it began; an upload is
 * named only after its file is there.
 */
const retentionMilliseconds = 24 * 3_600_000;
const chunk = 500;

type PrunePorts = Pick<Ports, 'assetFiles' | 'clock' | 'database'>;

/**
 * Removes the files of assets that were deleted, with their release or repository too, and of uploads that a crash cut off: a day
 * after no row has named them, or after their last byte. Since when is remembered here, so that a restart only delays the removal.
 */
export function createAssetPruner(
  { assetFiles, clock, database }: PrunePorts,
  log: Log,
): (goesOn?: () => boolean) => Promise<void> {
  const unnamedSince = new Map<string, number>();

  async function removeUnnamed(files: readonly string[], now: number): Promise<number> {
    const named = await database.read((sql) => referencedFiles(sql, files));
    let removed = 0;
    for (const file of files) {
      if (named.has(file)) {
        unnamedSince.delete(file);
        continue;
      }
      const since = unnamedSince.get(file) ?? now;
      unnamedSince.set(file, since);
      if (now - since < retentionMilliseconds) continue;
      await assetFiles.remove(file);
      unnamedSince.delete(file);
      removed += 1;
    }
    return removed;
  }

  return async (goesOn = () => true) => {
    const now = hostTime(clock);
    await assetFiles.removeUnfinished(now - retentionMilliseconds);
    let removed = 0;
    for await (const files of assetFiles.list()) {
      for (let from = 0; from < files.length && goesOn(); from += chunk) {
        removed += await removeUnnamed(files.slice(from, from + chunk), now);
      }
      if (!goesOn()) break;
    }
    if (removed > 0) log.info({ removed }, 'removed files of deleted assets');
  };
}
