import type { Log } from '#platform/log.ts';
import type { ScheduledTask } from '#platform/schedule.ts';

import { removeOldActivities } from './events/activity-store.ts';
import { shownMilliseconds } from './events/activity.ts';
import type { Ports } from './ports/ports.ts';
import { describeRepositories } from './repositories/describe-code.ts';
import { maintainRepositories } from './repositories/maintain-repositories.ts';
import { createAssetPruner } from './releases/prune-assets.ts';
import { retentionMilliseconds } from './webhooks/deliver.ts';
import { removeOldDeliveries } from './webhooks/delivery-store.ts';

const minute = 60_000;

const hour = 60 * minute;

/** The task that removes files of deleted assets. */
export const removalOfAssets = 'removing unused assets';

/** What the forge does from time to time. */
export function forgeTasks(ports: Ports, log: Log): ScheduledTask[] {
  return [
    {
      name: 'packing repositories',
      // A repository that receives several pushes a second is due again in less than half a minute.
      everyMilliseconds: minute / 6,
      run: (goesOn) => maintainRepositories(ports, log, goesOn),
    },
    {
      name: 'reading languages and licenses',
      everyMilliseconds: minute / 6,
      run: (goesOn) => describeRepositories(ports, log, goesOn),
    },
    {
      name: 'removing old rows',
      everyMilliseconds: 6 * hour,
      run: (goesOn) => removeOldRows(ports, log, goesOn),
    },
    {
      name: removalOfAssets,
      everyMilliseconds: hour,
      run: createAssetPruner(ports, log),
    },
  ];
}

/** Old webhook deliveries, or repository events, that are removed in one transaction. */
const batchSize = 500;

/**
 * Batches of old webhook deliveries, and of repository events, that are removed in one run, every six hours; what is left comes
 * in the next one.
 */
const batchesMax = 200;

/**
 * Removes what is shown no more: deliveries of webhooks and events of repositories. Both are also removed when new ones come, but
 * where nothing happens any more nothing would.
 */
export async function removeOldRows(
  { database, clock }: Pick<Ports, 'clock' | 'database'>,
  log: Log,
  goesOn: () => boolean = () => true,
): Promise<void> {
  const now = clock.now();
  let [deliveries, activities] = [0, 0];
  let after = 0;
  for (let run = 0; run < batchesMax && goesOn(); run += 1) {
    const from = after;
    const looked = await database.write((sql) =>
      removeOldDeliveries(sql, { from, before: now - retentionMilliseconds, batch: batchSize }),
    );
    deliveries += looked.forgotten;
    if (looked.last === undefined) break;
    after = looked.last;
  }
  for (let run = 0; run < batchesMax && goesOn(); run += 1) {
    const forgotten = await database.write((sql) =>
      removeOldActivities(sql, now - shownMilliseconds, batchSize),
    );
    activities += forgotten;
    if (forgotten < batchSize) break;
  }
  if (deliveries + activities > 0) log.info({ deliveries, activities }, 'removed old rows');
}
