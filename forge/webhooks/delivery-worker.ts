import type { Ports } from '../ports/ports.ts';
import { deliver } from './deliver.ts';
import { dueDeliveries } from './delivery-store.ts';
import type { Delivery } from './delivery.ts';
import { deliveriesChannel } from '../events/event-outbox-store.ts';

export interface Deliverer {
  /** Sends what is due now and resolves when each has been answered or has failed. */
  deliverDue(): Promise<void>;
  /** Looks by itself from now on: at once, when deliveries were written, when one has ended, and now and then. */
  start(): void;
  /** Breaks off what is being sent: it stays due for the next start. */
  close(): Promise<void>;
}

/** How many deliveries are under way at once. */
const sendingMax = 32;
/** How many of them to one webhook: a slow receiver keeps nobody waiting but itself. */
const sendingToOneMax = 4;
/** How often retries, and what other servers left or wrote, are looked for. */
const usualLookMilliseconds = 500;

/**
 * Delivers what the outbox owes, at least once. What is known here bounds the work of this server; that no other server
 * on the same database does it too is settled by a claim on each delivery (delivery-claim-store.ts).
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

  function begin(delivery: Delivery): void {
    const { id, webhookId } = delivery;
    const done = deliver(ports, delivery, stop.signal)
      .catch((error: unknown) => {
        if (!stop.signal.aborted) onError(error, id);
      })
      .finally(() => {
        sending.delete(id);
        // Others may have waited for its turn. Where nothing looks by itself, the caller decides when.
        if (timer) wake();
      });
    sending.set(id, { webhookId, done });
  }

  function mayBegin({ id, webhookId }: Delivery): boolean {
    if (sending.has(id) || sending.size >= sendingMax) return false;
    const toOne = [...sending.values()].filter((other) => other.webhookId === webhookId);
    return toOne.length < sendingToOneMax;
  }

  async function look(): Promise<void> {
    const now = ports.clock.now();
    const most = { toOne: sendingToOneMax, inAll: sendingMax * 2 };
    const due = await ports.database.read((sql) => dueDeliveries(sql, now, most));
    for (const delivery of due) if (!stop.signal.aborted && mayBegin(delivery)) begin(delivery);
  }

  function wake(): void {
    if (stop.signal.aborted) return;
    // What is written while it looks may have come too late for that look.
    again = looking !== undefined;
    looking ??= look()
      .catch((error: unknown) => onError(error, undefined))
      .finally(() => {
        looking = undefined;
        if (again) wake();
      });
  }

  return {
    async deliverDue() {
      await look();
      await Promise.all([...sending.values()].map(({ done }) => done));
    },
    start() {
      unlisten = ports.database.listen(deliveriesChannel, wake);
      timer = setInterval(wake, lookMilliseconds);
      wake();
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
