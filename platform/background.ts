/** Work that goes on after the answer it belongs to. */
export interface BackgroundWork {
  /** Runs the work once soon; asked again for the same key while it runs, it runs once more afterwards. */
  run(key: string, work: () => Promise<void>): void;
  /** Resolves when nothing is running or waiting. */
  idle(): Promise<void>;
}

export interface BackgroundOptions {
  readonly onError: (error: unknown, key: string) => void;
  /** How many pieces of work run at once. */
  readonly concurrency?: number;
}

/** Bounded, one run at a time per key, in the order asked. A failure is reported and ends only its own work. */
export function createBackgroundWork(options: BackgroundOptions): BackgroundWork {
  const waiting = new Map<string, () => Promise<void>>();
  const running = new Set<string>();
  let idlers: (() => void)[] = [];
  const concurrency = options.concurrency ?? 4;
  const start = async (key: string, work: () => Promise<void>): Promise<void> => {
    running.add(key);
    try {
      await work();
    } catch (error) {
      options.onError(error, key);
    }
    running.delete(key);
    next();
  };
  const next = (): void => {
    for (const [key, work] of waiting) {
      if (running.size >= concurrency) return;
      if (running.has(key)) continue;
      waiting.delete(key);
      void start(key, work);
    }
    if (running.size > 0 || waiting.size > 0) return;
    for (const done of idlers) done();
    idlers = [];
  };
  return {
    run(key, work) {
      waiting.set(key, work);
      queueMicrotask(next);
    },
    idle() {
      if (running.size === 0 && waiting.size === 0) return Promise.resolve();
      return new Promise((resolve) => idlers.push(resolve));
    },
  };
}
