import type { Helper } from './batch-process.ts';

/** The entry of a repository in the pool: a helper, or an object that owns one. */
export type Pooled = Pick<Helper, 'usable' | 'idle' | 'retire' | 'kill'>;

export interface HelperPoolSettings {
  readonly helpersMax: number;
  readonly idleSeconds: number;
}

interface PooledProcess<T> {
  readonly helper: T;
  usedAt: number;
}

/**
 * One helper for each repository in use: the least recently used ones end when there are too many.
 */
export class HelperPool<T extends Pooled = Helper> {
  readonly #settings: HelperPoolSettings;
  /** In order of use, the latest last. */
  readonly #processes = new Map<number, PooledProcess<T>>();
  readonly #sweep: NodeJS.Timeout;

  constructor(settings: HelperPoolSettings) {
    this.#settings = settings;
    this.#sweep = setInterval(() => this.#retireIdle(), settings.idleSeconds * 500);
    this.#sweep.unref();
  }

  /** The repository's helper, started when there is none. */
  get(repositoryId: number, start: () => T): T {
    const pooled = this.#processes.get(repositoryId);
    this.#processes.delete(repositoryId);
    if (pooled && !pooled.helper.usable) pooled.helper.retire();
    const helper = pooled?.helper.usable ? pooled.helper : start();
    this.#processes.set(repositoryId, { helper, usedAt: performance.now() });
    this.#retireSurplus();
    return helper;
  }

  /** Ends the repository's helper at once, because the repository goes away. */
  async drop(repositoryId: number): Promise<void> {
    const pooled = this.#processes.get(repositoryId);
    this.#processes.delete(repositoryId);
    await pooled?.helper.kill();
  }

  /** Ends the repository's helper when it has answered what it was asked. */
  retire(repositoryId: number): void {
    this.#processes.get(repositoryId)?.helper.retire();
    this.#processes.delete(repositoryId);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    const helpers = [...this.#processes.values()].map((pooled) => pooled.helper);
    this.#processes.clear();
    await Promise.all(helpers.map((helper) => helper.kill()));
  }

  #retireSurplus(): void {
    for (const [repositoryId, pooled] of this.#processes) {
      if (this.#processes.size <= this.#settings.helpersMax) return;
      this.#processes.delete(repositoryId);
      pooled.helper.retire();
    }
  }

  #retireIdle(): void {
    const oldest = performance.now() - this.#settings.idleSeconds * 1000;
    for (const [repositoryId, pooled] of this.#processes) {
      if (pooled.usedAt > oldest) return;
      if (!pooled.helper.idle) continue;
      this.#processes.delete(repositoryId);
      pooled.helper.retire();
    }
  }
}
