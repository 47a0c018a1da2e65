/** What has to be done with a key first is not done within the time that a caller waits, or failed. */
export class WorkPendingError extends Error {
  override readonly name = 'WorkPendingError';
}

export interface PendingWorkOptions {
  /** How long one caller waits for a key. The work itself takes as long as it takes. */
  readonly waitMilliseconds?: number;
}

/** Time that a caller waits for a repository that is being recovered after a crash; then it is answered 503. */
const waitMillisecondsDefault = 4000;

/**
 * Work that has to be done for each of some keys before anything else is done with it: in turn, and at once for a key that a
 * caller waits for. What failed is tried again for the next caller.
 */
export class PendingWork {
  readonly #pending = new Map<number, () => Promise<void>>();
  readonly #running = new Map<number, Promise<void>>();
  readonly #waitMilliseconds: number;

  constructor({ waitMilliseconds = waitMillisecondsDefault }: PendingWorkOptions = {}) {
    this.#waitMilliseconds = waitMilliseconds;
  }

  add(key: number, work: () => Promise<void>): void {
    this.#pending.set(key, work);
  }

  /** The keys with work left to do. */
  keys(): ReadonlySet<number> {
    return new Set(this.#pending.keys());
  }

  /** Waits until nothing is left to do for the key; throws a `WorkPendingError` when that takes too long, or fails. */
  async done(key: number): Promise<void> {
    if (!this.#pending.has(key)) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('It takes too long.')), this.#waitMilliseconds);
    });
    try {
      await Promise.race([this.#run(key), late]);
    } catch (cause) {
      throw new WorkPendingError('What has to be done first is not done yet.', { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Does all that is left, so many at a time, until it is stopped. Resolves when each has been tried. */
  async finish(
    atOnce: number,
    onError: (error: unknown, key: number) => void,
    stopped?: AbortSignal,
  ): Promise<void> {
    const left = this.keys().values();
    const takeNext = async (): Promise<void> => {
      for (const key of left) {
        if (stopped?.aborted === true) return;
        try {
          await this.#run(key);
        } catch (error) {
          onError(error, key);
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, takeNext));
  }

  #run(key: number): Promise<void> {
    const running = this.#running.get(key) ?? this.#start(key);
    this.#running.set(key, running);
    return running;
  }

  async #start(key: number): Promise<void> {
    // Not in the turn of the caller, who first notes that it runs.
    await Promise.resolve();
    try {
      await this.#pending.get(key)?.();
      this.#pending.delete(key);
    } finally {
      this.#running.delete(key);
    }
  }
}
