import { readCommitted } from '#platform/database/database.ts';
import { createPollingWorker } from '#platform/polling-worker.ts';

import { deliveriesChannel } from '../events/event-outbox-store.ts';
import type { Ports } from '../ports/ports.ts';
import { deliver } from './deliver.ts';
import { releaseDeliveries, releaseInterrupted } from './delivery-claim-store.ts';
import { dueDeliveries } from './delivery-store.ts';
import type { Delivery } from './delivery.ts';

export interface Deliverer {
  /** Sends all due deliveries and resolves when each has succeeded or failed. */
  deliverDue(): Promise<void>;
  /** Takes up what this server had claimed when it died, and starts polling: at once, when deliveries are enqueued, when one has ended, and at regular intervals. */
  start(): void;
  /** Looks soon for due deliveries: the clock has been set, or deliveries are not held back any more. */
  wake(): void;
  /** Aborts running deliveries, which stay due for the next start. */
  close(): Promise<void>;
}

/** Maximum number of concurrent deliveries. */
const sendingMax = 32;
/** Maximum number of them to one webhook, so that a slow receiver delays no other. */
const sendingToOneMax = 4;

/** A delivery as the worker's item: those to one webhook share a limit. */
interface Due {
  readonly id: number;
  readonly group: string;
  readonly delivery: Delivery;
}

/**
 * Delivers the events of the outbox at least once. State in memory limits the work of this server; a claim on each delivery
 * prevents other servers with the same database from sending it too (delivery-claim-store.ts). A claim whose attempt a
 * failure of the database has interrupted is released as soon as the database answers.
 */
export function createDeliverer(
  ports: Ports,
  onError: (error: unknown, deliveryId: number | undefined) => void,
  lookMilliseconds?: number,
): Deliverer {
  const { database, clock, serverId } = ports;
  const worker = createPollingWorker<Due>({
    runningMax: sendingMax,
    ...(lookMilliseconds !== undefined && { lookMilliseconds }),
    onError: (error, id) => onError(error, id),
    find,
    run: ({ delivery }, stop) => deliver(ports, delivery, stop),
    release: (id) =>
      database.write((sql) => releaseInterrupted(sql, serverId, id, clock.now()), readCommitted),
  });
  const wake = (): void => worker.wake();
  let unlisten: (() => void) | undefined;
  let isReleased = true;

  async function find(capacity: number, running: (group: string) => number): Promise<Due[]> {
    if (ports.holds?.holdsDeliveries(wake)) return [];
    const now = clock.now();
    if (!isReleased) {
      await database.write((sql) => releaseDeliveries(sql, serverId, now));
      isReleased = true;
    }
    const most = { toOne: sendingToOneMax, inAll: sendingMax * 2 };
    const due = await database.read((sql) => dueDeliveries(sql, now, most));
    const toOne = new Map<string, number>();
    return due
      .map((delivery) => ({ id: delivery.id, group: String(delivery.webhookId), delivery }))
      .filter(({ group }) => {
        const count = (toOne.get(group) ?? running(group)) + 1;
        toOne.set(group, count);
        return count <= sendingToOneMax;
      })
      .slice(0, capacity);
  }

  return {
    deliverDue: () => worker.runDue(),
    start() {
      isReleased = false;
      unlisten = database.listen(deliveriesChannel, wake);
      worker.start();
    },
    wake,
    async close() {
      unlisten?.();
      await worker.close();
    },
  };
}
