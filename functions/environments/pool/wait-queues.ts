import type { StartFailure, VersionSpec } from '../version-spec.ts';
import type { PooledEnvironment, VersionEnvironments } from './pooled-environment.ts';

/** What waits for an environment: an event, or a prewarm. */
export interface Waiting {
  readonly version: VersionEnvironments;
  /** A sequence number over the waiters of all functions. */
  readonly arrival: number;
}

/**
 * The order in which waiters of all functions are served; negative where `one` comes first. An option of functions that changes it
 * (`version.spec.configuration`) is compared before the arrival, which decides between waiters of one version.
 */
export function compareTurns(one: Waiting, other: Waiting): number {
  return one.arrival - other.arrival;
}

/** A set of queues, each in the order of its waiters' turns, and known by a key. */
export class WaitQueues<Key, Waiter> {
  readonly #compare: (one: Waiter, other: Waiter) => number;
  readonly #queues = new Map<Key, Waiter[]>();

  constructor(compare: (one: Waiter, other: Waiter) => number) {
    this.#compare = compare;
  }

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  length(key: Key): number {
    return this.#queues.get(key)?.length ?? 0;
  }

  /** A waiter that returns gets back its former position. */
  add(key: Key, waiter: Waiter): void {
    const waiters = this.#queues.get(key);
    if (!waiters) {
      this.#queues.set(key, [waiter]);
      return;
    }
    const before = waiters.findLastIndex((other) => this.#compare(other, waiter) < 0);
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
   * The queue that is served next: `positionIn` gives the next waiter of each queue (undefined: none); it is the turn of the first
   * of these.
   */
  next(positionIn: (key: Key) => number | undefined): Key | undefined {
    let first: { readonly waiter: Waiter; readonly key: Key } | undefined;
    for (const [key, waiters] of this.#queues) {
      const at = positionIn(key);
      const waiter = at === undefined ? undefined : waiters[at];
      if (waiter === undefined) continue;
      if (!first || this.#compare(waiter, first.waiter) < 0) first = { waiter, key };
    }
    return first?.key;
  }

  /** All waiters, queue by queue. */
  *waiters(): Iterable<Waiter> {
    for (const waiters of this.#queues.values()) yield* waiters;
  }

  /** Removes and returns all waiters of some queues, in the order of their turns. */
  takeAll(isConcerned: (key: Key) => boolean = () => true): Waiter[] {
    const taken = [...this.#queues].filter(([key]) => isConcerned(key));
    for (const [key] of taken) this.#queues.delete(key);
    return taken.flatMap(([, waiters]) => waiters).toSorted(this.#compare);
  }
}

/** What an event gets. */
export type Acquired =
  | { readonly kind: 'acquired'; readonly pooled: PooledEnvironment }
  | { readonly kind: 'throttled' }
  | { readonly kind: 'not-started'; readonly failure: StartFailure };

/** An event that waits for a slot, in the queue of its version. */
export interface EventWaiter extends Waiting {
  readonly kind: 'event';
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

/** A start before any event. All of these wait in one queue. */
export interface Prewarm extends Waiting {
  readonly kind: 'prewarm';
  readonly spec: VersionSpec;
  faults: number;
  ready(): void;
  failed(failure: StartFailure): void;
}
