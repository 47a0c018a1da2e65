import { atMost } from './at-most.ts';
import { inBackground } from './in-background.ts';
import { storageFailure } from './storage-failure.ts';

/** Work that no response waits for. */
export interface BackgroundWork {
  /**
   * Runs the work once soon; asked again for the same key while it runs, it runs once more afterwards. Work that must not stay
   * undone is tried again whatever it failed with (`always`), with longer and longer pauses unless the failure is temporary. Work that
   * resolves with `again` runs once more after a pause.
   */
  run(key: string, work: () => Promise<void | 'again'>, retry?: 'always'): void;
  /** Resolves when nothing is running or waiting. */
  idle(): Promise<void>;
  /** Takes no more work, finishes what was taken unless that takes too long. */
  close(): Promise<void>;
}

interface Task {
  readonly work: () => Promise<void | 'again'>;
  readonly retry: 'always' | undefined;
}

export interface BackgroundOptions {
  /** Called for work that failed, once until it succeeds. */
  readonly onError: (error: unknown, key: string) => void;
  /** Whether a failure is temporary: the work is then tried again until it succeeds. By default those of storage are. */
  readonly passes?: (error: unknown) => boolean;
  /** How many keys run at the same time. */
  readonly concurrency?: number;
  readonly retryMilliseconds?: number;
  readonly closeMilliseconds?: number;
}

/**
 * Time for background work to be finished when the server stops: what hangs is interrupted by the end of the process, as by a
 * crash.
 */
const closeMillisecondsMax = 20_000;

export function createBackgroundWork(options: BackgroundOptions): BackgroundWork {
  const {
    onError,
    passes = isStorageFailure,
    concurrency = 4,
    retryMilliseconds = 1000,
    closeMilliseconds = closeMillisecondsMax,
  } = options;
  const waiting = new Map<string, Task>();
  const running = new Set<string>();
  const idlers: (() => void)[] = [];
  /** Work that has failed or asked for it, until it is tried again. */
  const pausedTasks = new Map<string, NodeJS.Timeout>();
  /** How often work has failed in a row with an error that was not temporary. */
  const failing = new Map<string, number>();
  let closed = false;

  function startNext(): void {
    for (const [key, task] of waiting) {
      if (running.size >= concurrency) return;
      if (running.has(key)) continue;
      waiting.delete(key);
      running.add(key);
      inBackground(runOne(key, task), (error) => onError(error, key));
    }
    if (running.size === 0) for (const resolve of idlers.splice(0)) resolve();
  }

  async function runOne(key: string, task: Task): Promise<void> {
    try {
      // Not within the call of `run`: the caller's synchronous code ends first. The work does not wait for any response.
      await Promise.resolve();
      const outcome = await task.work();
      failing.delete(key);
      if (outcome === 'again') runLater(key, task, retryMilliseconds);
    } catch (error) {
      if (!failing.has(key)) onError(error, key);
      const isTemporary = passes(error);
      if (task.retry === 'always' || isTemporary) {
        const failures = isTemporary ? 0 : (failing.get(key) ?? 0) + 1;
        failing.set(key, failures);
        runLater(key, task, pauseAfter(failures, retryMilliseconds));
      } else failing.delete(key);
    } finally {
      running.delete(key);
      startNext();
    }
  }

  function runLater(key: string, { work, retry }: Task, milliseconds: number): void {
    if (closed || waiting.has(key)) return;
    const again = (): void => run(key, work, retry);
    pausedTasks.set(key, setTimeout(again, milliseconds).unref());
  }

  function run(key: string, work: Task['work'], retry?: 'always'): void {
    if (closed) return;
    clearTimeout(pausedTasks.get(key));
    pausedTasks.delete(key);
    waiting.set(key, { work, retry });
    startNext();
  }

  function idle(): Promise<void> {
    if (running.size === 0 && waiting.size === 0) return Promise.resolve();
    return new Promise((resolve) => idlers.push(resolve));
  }

  return {
    run,
    idle,
    async close() {
      closed = true;
      for (const timer of pausedTasks.values()) clearTimeout(timer);
      await atMost(closeMilliseconds, idle());
    },
  };
}

/**
 * Pause before work in the background that must not stay undone is tried again: a second; after failures that are not temporary
 * doubled each time, at most this.
 */
const pauseMillisecondsMax = 60_000;

/** A failure that is not temporary is not retried as if it were: twice as long each time, up to a minute. */
export function pauseAfter(failures: number, retryMilliseconds: number): number {
  const pause = retryMilliseconds * 2 ** Math.max(0, failures - 1);
  return Math.max(retryMilliseconds, Math.min(pause, pauseMillisecondsMax));
}

function isStorageFailure(error: unknown): boolean {
  return storageFailure(error) !== undefined;
}
