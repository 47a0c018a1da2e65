import type { StartFailure, VersionSpec } from '../version-spec.ts';
import type { EnvironmentGroup, PooledEnvironment } from './pooled-environment.ts';

/** A set of queues, each ordered by arrival, and known by a key. */
export class WaitQueues<Key, Waiter extends { readonly arrival: number }> {
  readonly #queues = new Map<Key, Waiter[]>();

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  length(key: Key): number {
    return this.#queues.get(key)?.length ?? 0;
  }

  /** A waiter that returns gets back the position of its first arrival. */
  add(key: Key, waiter: Waiter): void {
    const waiters = this.#queues.get(key);
    if (!waiters) {
      this.#queues.set(key, [waiter]);
      return;
    }
    const before = waiters.findLastIndex(({ arrival }) => arrival < waiter.arrival);
    waiters.splice(before + 1, 0, waiter);
  }

  /** By position; 0 is the head. */
  at(key: Key, position: number): Waiter | undefined {
    return this.#queues.get(key)?.[position];
  }

  /** Removes and returns the head of a queue. */
  shift(key: Key): Waiter | undefined {
    const waiters = this.#queues.get(key);
    const waiter = waiters?.shift();
    if (waiters?.length === 0) this.#queues.delete(key);
    return waiter;
  }

  /**
   * The queue that is served next: `positionIn` gives the next waiter of each queue (undefined: none); the earliest arrival of these
   * is served.
   */
  next(positionIn: (key: Key) => number | undefined): Key | undefined {
    let oldest: { readonly arrival: number; readonly key: Key } | undefined;
    for (const [key, waiters] of this.#queues) {
      const at = positionIn(key);
      const waiter = at === undefined ? undefined : waiters[at];
      if (waiter && (!oldest || waiter.arrival < oldest.arrival)) {
        oldest = { arrival: waiter.arrival, key };
      }
    }
    return oldest?.key;
  }

  /** Removes and returns all waiters of some queues, in order of arrival. */
  takeAll(isConcerned: (key: Key) => boolean = () => true): Waiter[] {
    const taken = [...this.#queues].filter(([key]) => isConcerned(key));
    for (const [key] of taken) this.#queues.delete(key);
    return taken
      .flatMap(([, waiters]) => waiters)
      .toSorted((one, other) => one.arrival - other.arrival);
  }
}

/** What an event gets. */
export type Acquired =
  | { readonly kind: 'acquired'; readonly pooled: PooledEnvironment }
  | { readonly kind: 'throttled' }
  | { readonly kind: 'not-started'; readonly failure: StartFailure };

/** An event that waits for a slot, in the queue of its group. */
export interface EventWaiter {
  readonly kind: 'event';
  /** A sequence number over the waiters of all functions. */
  readonly arrival: number;
  readonly requestId: string;
  readonly traceHeader: string;
  /** Briefly false at first: an environment that has just responded is free sooner than another could start. */
  mayStart: boolean;
  /** Starts that failed by an internal error while it was first in the queue. */
  faults: number;
  /** Called when it gets a slot of this environment. */
  acquired(pooled: PooledEnvironment): void;
  failed(failure: StartFailure): void;
  /** Called when there is no capacity for it, and none will become free. */
  throttled(): void;
}

/** A start requested ahead of any event; all of these wait in one queue. */
export interface StartRequest {
  readonly kind: 'start';
  readonly arrival: number;
  readonly group: EnvironmentGroup;
  readonly spec: VersionSpec;
  faults: number;
  ready(): void;
  failed(failure: StartFailure): void;
}
