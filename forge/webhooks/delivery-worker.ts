import { readCommitted } from '#platform/database/database.ts';
import { createPollingWorker } from '#platform/polling-worker.ts';

import { deliveriesChannel } from '../events/event-outbox-store.ts';
import type { Ports } from '../ports/ports.ts';
import { deliver, deliveryWrites } from './deliver.ts';
import {
  claimDeliveries,
  releaseDeliveries,
  releaseDelivery,
  releaseInterrupted,
  renewDeliveries,
  webhooksWithCapacity,
} from './delivery-claim-store.ts';
import type { Claimant } from './delivery-share-store.ts';
import type { ClaimedDelivery } from './delivery.ts';

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

/** Deliveries under way at once, of each server; those of one owner take half of them at most (delivery-share-store.ts). */
const sendingMax = 64;
/** Deliveries under way to one webhook, of all servers together, so that a slow receiver delays no other. */
const sendingToOneMax = 4;

/** A claimed delivery as the worker's item. */
interface Due {
  readonly id: number;
  readonly group: string;
  readonly delivery: ClaimedDelivery;
  /** Whether it may have reached the receiver. */
  isSent: boolean;
}

/**
 * Delivers the events of the outbox at least once. Each poll claims what it finds in one transaction, before anything is made or sent
 * of it, so that no other server with the same database does the same; the claims also limit what all servers send to one webhook
 * (delivery-claim-store.ts). A claim that a failure of the database has interrupted is released when the database answers, and attempted after a pause.
 */
export function createDeliverer(
  ports: Ports,
  onError: (error: unknown, deliveryId: number | undefined) => void,
  pollMilliseconds?: number,
): Deliverer {
  const { database, clock, serverId } = ports;
  const writes = deliveryWrites(ports);
  /** Claimed by this server, and it knows; with the owners of their webhooks. */
  const held = new Map<number, number>();
  const worker = createPollingWorker<Due>({
    runningMax: sendingMax,
    ...(pollMilliseconds !== undefined && { pollMilliseconds }),
    onError: (error, id) => onError(error, id),
    find,
    async run(due, stop) {
      try {
        await deliver(ports, writes, due.delivery, {
          stop,
          onSend: () => {
            due.isSent = true;
          },
        });
      } finally {
        held.delete(due.id);
      }
    },
    abandon: ({ delivery }) =>
      database.write((sql) => releaseDelivery(sql, delivery, clock.now()), readCommitted),
    renew: (ids) =>
      database.write(
        (sql) => renewDeliveries(sql, database.engine, { serverId, ids, now: clock.now() }),
        readCommitted,
      ),
    release: ({ delivery, isSent }) =>
      database.write(
        (sql) => releaseInterrupted(sql, delivery, isSent, clock.now()),
        readCommitted,
      ),
  });
  const wake = (): void => worker.wake();
  let unlisten: (() => void) | undefined;
  let isReleased = true;

  async function find(capacity: number): Promise<Due[]> {
    if (ports.testHolds?.holdsDeliveries(wake)) return [];
    const now = clock.now();
    if (!isReleased) {
      await database.write(
        (sql) => releaseDeliveries(sql, serverId, now, held.keys()),
        readCommitted,
      );
      isReleased = true;
    }
    const most = { toOne: sendingToOneMax, inAll: capacity };
    const by = { serverId, now, most, held: new Map(held) };
    // Most polls find nothing: only those that do take locks.
    const webhookIds = await database.readOne((sql) => webhooksWithCapacity(sql, by));
    if (webhookIds.length === 0) return [];
    const claimed = await claim(webhookIds, by);
    for (const { id, ownerId } of claimed) held.set(id, ownerId);
    return claimed.map((delivery) => ({
      id: delivery.id,
      group: String(delivery.webhookId),
      delivery,
      isSent: false,
    }));
  }

  async function claim(webhookIds: readonly number[], by: Claimant): Promise<ClaimedDelivery[]> {
    try {
      return await database.write(
        (sql) => claimDeliveries(sql, database.engine, webhookIds, by),
        readCommitted,
      );
    } catch (error) {
      // It may have been committed.
      isReleased = false;
      throw error;
    }
  }

  return {
    deliverDue: () => worker.poll(),
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
