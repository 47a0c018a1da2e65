/** Runs tasks concurrently, up to a limit. */
export interface BoundedTasks {
  /** Resolves when the task has started. Rejects when an earlier one failed. */
  start(task: () => Promise<void>): Promise<void>;
  /** Resolves when all tasks have ended. Rejects when one failed. */
  ended(): Promise<void>;
}

export function boundedTasks(atOnce: number): BoundedTasks {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;

  async function run(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      failure ??= { error };
    }
  }

  return {
    async start(task) {
      while (running.size >= atOnce) await Promise.race(running);
      if (failure) throw failure.error;
      const ended = run(task).finally(() => running.delete(ended));
      running.add(ended);
    },
    async ended() {
      await Promise.all(running);
      if (failure) throw failure.error;
    },
  };
}
