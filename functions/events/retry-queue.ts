import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';

import type { EventQueue } from './event-queue.ts';
import { isRetriedQueue, retryNow } from './retry-store.ts';

/** Makes the next attempts of a queue due, and looks for them at once; undefined: the queue has no such attempts. */
export async function retryQueue(
  {
    database,
    clock,
    events,
  }: {
    readonly database: Database;
    readonly clock: Clock;
    readonly events: Pick<EventQueue, 'wake'>;
  },
  queue: string,
): Promise<number | undefined> {
  if (!isRetriedQueue(queue)) return undefined;
  const retried = await database.write((sql) => retryNow(sql, queue, clock.now()));
  if (retried > 0) events.wake();
  return retried;
}
