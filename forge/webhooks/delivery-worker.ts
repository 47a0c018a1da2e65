import type { Ports } from '../ports/ports.ts';
import { deliver } from './deliver.ts';
import { releaseDeliveries } from './delivery-claim-store.ts';
import { dueDeliveries } from './delivery-store.ts';
import type { Delivery } from './delivery.ts';
import { deliveriesChannel } from '../events/event-outbox-store.ts';

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
/** The interval of polling for retries and for deliveries of other servers. */
const usualLookMilliseconds = 500;

/**
 * Delivers the events of the outbox at least once. State in memory limits the work of this server; a claim on each delivery
 * prevents other servers with the same database from sending it too (delivery-claim-store.ts).
 */
export function createDeliverer(
  ports: Ports,
  onError: (error: unknown, deliveryId: number | undefined) => void,
  lookMilliseconds: number = usualLookMilliseconds,
): Deliverer {
  const sending = new Map<number, { webhookId: number; done: Promise<void> }>();
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let unlisten: (() => void) | undefined;
  let looking: Promise<void> | undefined;
  let again = false;
  let isReleased = true;

  function begin(delivery: Delivery): void {
    const { id, webhookId } = delivery;
    const done = deliver(ports, delivery, stop.signal)
      .catch((error: unknown) => {
        if (!stop.signal.aborted) onError(error, id);
      })
      .finally(() => {
        sending.delete(id);
        // Other deliveries may have waited for this slot. Without polling, the caller decides when to continue.
        if (timer) wake();
      });
    sending.set(id, { webhookId, done });
  }

  function mayBegin({ id, webhookId }: Delivery): boolean {
    if (sending.has(id) || sending.size >= sendingMax) return false;
    const toOne = [...sending.values()].filter((other) => other.webhookId === webhookId);
    return toOne.length < sendingToOneMax;
  }

  async function poll(): Promise<void> {
    if (ports.holds?.holdsDeliveries(wake)) return;
    const now = ports.clock.now();
    if (!isReleased) {
      await ports.database.write((sql) => releaseDeliveries(sql, ports.serverId, now));
      isReleased = true;
    }
    const most = { toOne: sendingToOneMax, inAll: sendingMax * 2 };
    const due = await ports.database.read((sql) => dueDeliveries(sql, now, most));
    for (const delivery of due) if (!stop.signal.aborted && mayBegin(delivery)) begin(delivery);
  }

  function wake(): void {
    if (stop.signal.aborted) return;
    // The query in progress may miss deliveries that are written meanwhile.
    again = looking !== undefined;
    looking ??= poll()
      .catch((error: unknown) => onError(error, undefined))
      .finally(() => {
        looking = undefined;
        if (again) wake();
      });
  }

  return {
    async deliverDue() {
      await poll();
      await Promise.all([...sending.values()].map(({ done }) => done));
    },
    start() {
      isReleased = false;
      unlisten = ports.database.listen(deliveriesChannel, wake);
      timer = setInterval(wake, lookMilliseconds);
      wake();
    },
    wake() {
      if (timer) wake();
    },
    async close() {
      clearInterval(timer);
      unlisten?.();
      stop.abort();
      await looking;
      await Promise.all([...sending.values()].map(({ done }) => done));
    },
  };
}
