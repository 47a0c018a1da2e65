import { hostTime } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';

import type { Ports } from '../ports/ports.ts';
import { namedFiles } from './asset-store.ts';

/** A backup may name files of assets that were deleted since it began; an upload is named only after its file is there. */
const retentionMilliseconds = 24 * 3_600_000;
const chunk = 500;

/** Removes the files of assets that were deleted, with their release or repository too, and of uploads that a crash cut off. */
export async function pruneAssets(
  { assetFiles, clock, database }: Pick<Ports, 'assetFiles' | 'clock' | 'database'>,
  log: Log,
  goesOn: () => boolean = () => true,
): Promise<void> {
  let removed = 0;
  const before = hostTime(clock) - retentionMilliseconds;
  for await (const files of assetFiles.writtenBefore(before)) {
    for (let from = 0; from < files.length && goesOn(); from += chunk) {
      const part = files.slice(from, from + chunk);
      const named = await database.read((sql) => namedFiles(sql, part));
      for (const file of part) {
        if (named.has(file)) continue;
        await assetFiles.remove(file);
        removed += 1;
      }
    }
    if (!goesOn()) break;
  }
  if (removed > 0) log.info({ removed }, 'removed files of deleted assets');
}
