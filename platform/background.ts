import { inBackground } from './in-background.ts';

/** Work that goes on after the answer it belongs to. */
export interface BackgroundWork {
  /** Runs the work once soon; asked again for the same key while it runs, it runs once more afterwards. */
  run(key: string, work: () => Promise<void>): void;
  /** Resolves when nothing is running or waiting. */
  idle(): Promise<void>;
  /** Takes no more work, finishes what was taken. */
  close(): Promise<void>;
}

export interface BackgroundOptions {
  /** Hears of work that failed; the work is not tried again. */
  readonly onError: (error: unknown, key: string) => void;
  /** How many keys run at the same time. */
  readonly concurrency?: number;
}

export function createBackgroundWork(options: BackgroundOptions): BackgroundWork {
  const { onError, concurrency = 4 } = options;
  const waiting = new Map<string, () => Promise<void>>();
  const running = new Set<string>();
  const idlers: (() => void)[] = [];
  let closed = false;

  function startNext(): void {
    for (const [key, work] of waiting) {
      if (running.size >= concurrency) return;
      if (running.has(key)) continue;
      waiting.delete(key);
      running.add(key);
      inBackground(runOne(key, work), (error) => onError(error, key));
    }
    if (running.size === 0) for (const resolve of idlers.splice(0)) resolve();
  }

  async function runOne(key: string, work: () => Promise<void>): Promise<void> {
    try {
      // Never within the caller's own turn: the answer goes out first.
      await Promise.resolve();
      await work();
    } catch (error) {
      onError(error, key);
    } finally {
      running.delete(key);
      startNext();
    }
  }

  function idle(): Promise<void> {
    if (running.size === 0 && waiting.size === 0) return Promise.resolve();
    return new Promise((resolve) => idlers.push(resolve));
  }

  return {
    run(key, work) {
      if (closed) return;
      waiting.set(key, work);
      startNext();
    },
    idle,
    close() {
      closed = true;
      return idle();
    },
  };
}
