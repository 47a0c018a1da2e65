import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/log.ts';
import { OperatorError } from '#platform/operator-error.ts';

import { databaseNow } from './node-store.ts';

/**
 * Difference between the clocks of a node and its database above which the node does not start. Claims of deliveries and events
 * are good for a minute by the clock of the node that has them, and are renewed every 20 seconds.
 */
const refusedMilliseconds = 30_000;
/** Difference between the clocks of a node and its database above which the start reports it. */
const reportedMilliseconds = 1000;

/** Refuses a node whose clock would have it take over what others are working on, or wait with what is due. */
export async function checkClock(
  { database, log }: { readonly database: Database; readonly log: Pick<Log, 'warn'> },
  clock: Clock,
): Promise<void> {
  const before = clock.now();
  const time = await database.read(databaseNow);
  const ahead = Math.max(before - time, 0) + Math.min(clock.now() - time, 0);
  const [seconds, direction] = [
    Math.round(Math.abs(ahead) / 1000),
    ahead > 0 ? 'ahead of' : 'behind',
  ];
  if (Math.abs(ahead) > refusedMilliseconds) {
    throw new OperatorError(
      `The clock of this machine is ${seconds} seconds ${direction} that of the database. Synchronize the clocks, for example with chrony, then start the node.`,
    );
  }
  if (Math.abs(ahead) > reportedMilliseconds) {
    log.warn(
      { seconds, direction },
      'the clock of this machine differs from that of the database: synchronize them',
    );
  }
}
