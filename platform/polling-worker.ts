import { setImmediate as eventLoopTurn } from 'node:timers/promises';

import { atMost } from './at-most.ts';
import { inBackground } from './in-background.ts';
import { storageFailure } from './storage-failure.ts';

/** A worker for rows of the database that have a due time. */
export interface PollingWorker {
  /** Finds and processes what is due, until nothing is. */
  poll(): Promise<void>;
  /** Polls from now on, immediately and then at an interval. */
  start(): void;
  /** Polls soon: due work was added. */
  wake(): void;
  /** Starts nothing more and waits a limited time for items in progress. */
  close(): Promise<void>;
}

export interface DueItem {
  readonly id: number;
  /** Items of one group share its limit. */
  readonly group: string;
}

export interface PollingWorkerOptions<T extends DueItem> {
  /** The items that are due; `running` counts the items of a group in progress. Those in progress, and those beyond the limits, are ignored. */
  readonly find: (
    capacity: number,
    running: (group: string) => number,
    isRunning: (id: number) => boolean,
  ) => Promise<readonly T[]>;
  readonly run: (item: T, stop: AbortSignal) => Promise<void>;
  /** Where `find` claims: releases the claim on an item that is not started, because the worker was closed meanwhile. */
  readonly abandon?: (item: T) => Promise<void>;
  /** Makes an item due again after a storage failure: its outcome, or its claim, may not have been recorded. Where `find` claims, it compares the claim. */
  readonly release?: (item: T) => Promise<void>;
  /** Extends the claims on items in progress, so that no other server takes them over. */
  readonly renew?: (ids: readonly number[]) => Promise<void>;
  readonly renewMilliseconds?: number;
  /** The polling interval. */
  readonly pollMilliseconds?: number;
  readonly runningMax: number;
  /** Items of one group in progress, so that a slow group does not delay others. Not where `find` claims: it must not claim what cannot start. */
  readonly runningOfOneMax?: number;
  /** `id` is that of the item that failed; undefined if the search for items did. */
  readonly onError: (error: unknown, id?: number) => void;
}

/** Time between two polls for work that the server's own commits have not reported: retries, and what other servers leave. */
const defaultPollMilliseconds = 500;
/** Time between two renewals of claims: two may fail before a lease of a minute runs out. */
const usualRenewMilliseconds = 20_000;
/** Time that a stop waits for items in progress; the next start runs the rest again. */
const drainMilliseconds = 2000;

export function createPollingWorker<T extends DueItem>(
  options: PollingWorkerOptions<T>,
): PollingWorker {
  const { find, run, abandon, renew, runningMax, runningOfOneMax = Infinity, onError } = options;
  const { renewMilliseconds = usualRenewMilliseconds, pollMilliseconds = defaultPollMilliseconds } =
    options;
  const running = new Map<number, { readonly group: string; readonly done: Promise<void> }>();
  /** Items interrupted by a storage failure. */
  const interrupted = new Set<T>();
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let renewing: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;
  let again = false;

  async function process(item: T): Promise<void> {
    try {
      await run(item, stop.signal);
    } catch (error) {
      if (storageFailure(error)) interrupted.add(item);
      running.delete(item.id);
      if (!stop.signal.aborted) onError(error, item.id);
      return;
    }
    running.delete(item.id);
    // Only while polling: otherwise the caller of `poll` decides when.
    if (timer) wake();
  }

  /** A release may compare the server alone, so none may come after a later claim of this server. */
  function mayStart({ id }: T): boolean {
    if (running.has(id)) return false;
    return abandon !== undefined || ![...interrupted].some((item) => item.id === id);
  }

  function countOf(group: string): number {
    return [...running.values()].filter((other) => other.group === group).length;
  }

  async function startDue(): Promise<boolean> {
    const capacity = runningMax - running.size;
    if (capacity <= 0 || stop.signal.aborted) return false;
    const unreleased = await releaseAll(interrupted, options);
    const found = await find(capacity, countOf, (id) => running.has(id));
    const fresh = withinLimit(found.filter(mayStart), countOf, runningOfOneMax).slice(0, capacity);
    if (stop.signal.aborted) for (const item of fresh) await abandon?.(item);
    else for (const item of fresh) running.set(item.id, { group: item.group, done: process(item) });
    return fresh.length > 0 || interrupted.size > unreleased;
  }

  function wake(): void {
    if (stop.signal.aborted) return;
    again = polling !== undefined;
    // What ends in the same turn of the event loop, such as items whose outcomes were written together, frees capacity that one poll can use.
    polling ??= eventLoopTurn()
      .then(startDue)
      .then(
        () => undefined,
        (error: unknown) => onError(error),
      )
      .finally(() => {
        polling = undefined;
        if (again) wake();
      });
  }

  function renewAll(): void {
    if (renew && running.size > 0) inBackground(renew([...running.keys()]), onError);
  }

  const allDone = async (): Promise<void> => {
    await Promise.all([...running.values()].map(({ done }) => done));
  };

  return {
    async poll() {
      while (await startDue()) await allDone();
      await allDone();
    },
    start() {
      timer = setInterval(wake, pollMilliseconds);
      renewing = setInterval(renewAll, renewMilliseconds);
      wake();
    },
    wake() {
      if (timer) wake();
    },
    async close() {
      clearInterval(timer);
      clearInterval(renewing);
      stop.abort();
      await polling;
      await atMost(drainMilliseconds, allDone());
    },
  };
}

/** Of each group as many as it may have in progress. */
function withinLimit<T extends DueItem>(
  items: readonly T[],
  running: (group: string) => number,
  ofOneMax: number,
): T[] {
  const counts = new Map<string, number>();
  return items.filter(({ group }) => {
    const count = (counts.get(group) ?? running(group)) + 1;
    counts.set(group, count);
    return count <= ofOneMax;
  });
}

/** Removes what it releases. Returns how many are left, each for a reason of its own: the others must not wait for them. */
async function releaseAll<T extends DueItem>(
  items: Set<T>,
  { release, onError }: Pick<PollingWorkerOptions<T>, 'release' | 'onError'>,
): Promise<number> {
  for (const item of items) {
    try {
      await release?.(item);
      items.delete(item);
    } catch (error) {
      if (storageFailure(error)) throw error;
      onError(error, item.id);
    }
  }
  return items.size;
}
