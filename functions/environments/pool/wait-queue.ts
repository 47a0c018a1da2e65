import type { StartFailure, VersionSpec } from '../version-spec.ts';
import type { EnvironmentGroup, PooledEnvironment } from './pooled-environment.ts';

/** A set of queues, each ordered by arrival. */
export class WaitQueue<Line, Waiter extends { readonly arrival: number }> {
  readonly #lines = new Map<Line, Waiter[]>();

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  length(line: Line): number {
    return this.#lines.get(line)?.length ?? 0;
  }

  /** A waiter that returns gets back the position of its first arrival. */
  add(line: Line, waiter: Waiter): void {
    const waiters = this.#lines.get(line);
    if (!waiters) {
      this.#lines.set(line, [waiter]);
      return;
    }
    const before = waiters.findLastIndex(({ arrival }) => arrival < waiter.arrival);
    waiters.splice(before + 1, 0, waiter);
  }

  /** By position; 0 is the head. */
  at(line: Line, position: number): Waiter | undefined {
    return this.#lines.get(line)?.[position];
  }

  /** Removes and returns the head of a queue. */
  shift(line: Line): Waiter | undefined {
    const waiters = this.#lines.get(line);
    const waiter = waiters?.shift();
    if (waiters?.length === 0) this.#lines.delete(line);
    return waiter;
  }

  /**
   * The queue that is served next: `position` gives the next waiter of each queue (undefined: none); the earliest arrival of these
   * is served.
   */
  next(position: (line: Line) => number | undefined): Line | undefined {
    let oldest: { readonly arrival: number; readonly line: Line } | undefined;
    for (const [line, waiters] of this.#lines) {
      const at = position(line);
      const waiter = at === undefined ? undefined : waiters[at];
      if (waiter && (!oldest || waiter.arrival < oldest.arrival)) {
        oldest = { arrival: waiter.arrival, line };
      }
    }
    return oldest?.line;
  }

  /** Removes and returns all waiters of some queues, in order of arrival. */
  takeAll(isConcerned: (line: Line) => boolean = () => true): Waiter[] {
    const taken = [...this.#lines].filter(([line]) => isConcerned(line));
    for (const [line] of taken) this.#lines.delete(line);
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
