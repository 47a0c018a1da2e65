import { readCommitted } from '#platform/database/database.ts';

import {
  releaseClaim,
  releaseClaims,
  renewClaims,
  dueEvents,
  eventsChannel,
  functionsWithDueEvents,
  insertEvent,
} from './event-store.ts';
import { queueFull, type AcceptedEvent, type EventPorts } from './event.ts';
import { createPollingWorker, type DueItem, type PollingWorker } from '#platform/polling-worker.ts';
import { deliverMessage } from './deliver-message.ts';
import { dueMessages } from './outbox-store.ts';
import { readOwn } from './read-own.ts';
import { runEvent } from './run-event.ts';

/** The queue of asynchronous events, and the outbox of messages about them. */
export interface EventQueue {
  /** Resolves when the event is durable: it then runs at least once. Refuses it when too many of its function wait. */
  accept(event: AcceptedEvent): Promise<void>;
  /** Runs everything that is due now or becomes due by that, and delivers the messages about it. */
  poll(): Promise<void>;
  /** Resumes interrupted events and polls for due ones from now on. */
  start(): Promise<void>;
  /** Polls soon: the clock has been set. */
  wake(): void;
  /** Events in progress run again after the next start. */
  close(): Promise<void>;
}

/** Asynchronous events that run at once. */
const runningMax = 64;
/** Asynchronous events of one function that run at once, so that a slow one does not delay others. */
const runningOfOneMax = 16;
/** Messages about events that are handed over at once. */
const handingMax = 32;
/** Messages that are handed over to one target at once. */
const handingToOneMax = 4;

export function createEventQueue(ports: Omit<EventPorts, 'messages'>): EventQueue {
  const { database, clock, serverId, onError } = ports;
  const claimsOn = (table: 'function_events' | 'function_messages') => ({
    renew: (ids: readonly number[]) =>
      database.write((sql) => renewClaims(sql, table, serverId, ids, clock.now()), readCommitted),
    release: ({ id }: DueItem) =>
      database.write((sql) => releaseClaim(sql, table, serverId, id, clock.now()), readCommitted),
  });
  const messages: PollingWorker = createPollingWorker<Due>({
    runningMax: handingMax,
    runningOfOneMax: handingToOneMax,
    onError,
    find: findMessages(ports),
    ...claimsOn('function_messages'),
    run: (due, stop) => deliverMessage(ports, due, stop),
  });
  const withMessages: EventPorts = { ...ports, messages };
  const events: PollingWorker = createPollingWorker<Due>({
    runningMax,
    onError,
    find: findEvents(ports),
    ...claimsOn('function_events'),
    run: (due, stop) => runEvent(withMessages, due, stop),
  });
  let unlisten: (() => void) | undefined;

  return {
    async accept(event) {
      const isStored = await database.write(
        (sql) => insertEvent(sql, event, clock.now()),
        readCommitted,
      );
      if (!isStored) throw queueFull();
    },
    async poll() {
      await events.poll();
      await messages.poll();
      // A message may have invoked a function.
      await events.poll();
    },
    async start() {
      await database.write(async (sql) => {
        await releaseClaims(sql, 'function_events', serverId, clock.now());
        await releaseClaims(sql, 'function_messages', serverId, clock.now());
      });
      unlisten = database.listen(eventsChannel, () => events.wake());
      events.start();
      messages.start();
    },
    wake() {
      events.wake();
      messages.wake();
    },
    async close() {
      unlisten?.();
      await Promise.all([events.close(), messages.close()]);
    },
  };
}

interface Due extends DueItem {
  readonly due_at: number;
}

type FindPorts = Pick<EventPorts, 'database' | 'clock' | 'homes'>;

type Find = (capacity: number, running: (group: string) => number) => Promise<Due[]>;

/** Functions with the fewest running events come first, each within its limit. */
function findEvents({ database, clock, homes }: FindPorts): Find {
  return (capacity, running) =>
    database.read(async (sql) => {
      const now = clock.now();
      const found: Due[] = [];
      const functions = await functionsWithDueEvents(sql, now);
      const ofOne = functions
        .filter(({ name }) => homes.isHome(name))
        .map(({ id, reserved_concurrency: reserved }) => {
          const most = Math.min(runningOfOneMax, Math.max(1, reserved ?? runningOfOneMax));
          return { id, capacity: most - running(String(id)) };
        })
        .filter((one) => one.capacity > 0)
        .toSorted((one, other) => other.capacity - one.capacity);
      for (const one of ofOne) {
        if (found.length >= capacity) break;
        const limit = Math.min(one.capacity, capacity - found.length);
        const due = await dueEvents(sql, one.id, now, limit);
        found.push(...due.map((item) => ({ ...item, group: String(one.id) })));
      }
      return found;
    });
}

function findMessages({ database, clock, homes }: FindPorts): Find {
  return async () => {
    const now = clock.now();
    const due = await database.read((sql) =>
      readOwn(
        2 * handingMax,
        (inAll, offset) => dueMessages(sql, now, { toOne: handingToOneMax, inAll, offset }),
        // An earlier version stored messages without a name: one server, whichever it is, delivers them.
        ({ function_name: name }) => homes.isHome(name ?? ''),
      ),
    );
    return due.map(({ id, due_at, target }) => ({ id, due_at, group: target }));
  };
}
