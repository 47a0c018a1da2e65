import type { Answer, Environment } from './environment.ts';
import type { RuntimeEvent } from '../runtime-api/runtime-channel.ts';
import { startFailure } from './start-failure.ts';
import type { StartFailure, Subject } from './subject.ts';

export interface EnvironmentPools {
  /** Starts an environment ahead of any invocation and keeps it ready for the first. */
  prepare(subject: Subject): Promise<StartFailure | undefined>;
  /** Runs an event in a ready environment of the subject, or in one started for it. */
  invoke(subject: Subject, event: RuntimeEvent): Promise<Invoked>;
  /** Lets go of a version's environments, but for those of one configuration; busy ones finish first. */
  retire(versionId: number, keepConfigurationId?: number): void;
  close(): Promise<void>;
}

export type Invoked =
  | ({ readonly kind: 'answered' } & Answer)
  /** There was no room for another environment. */
  | { readonly kind: 'throttled' }
  | { readonly kind: 'not-started'; readonly failure: StartFailure };

/** Makes an environment; it is not initialised yet. */
export type MakeEnvironment = (subject: Subject) => Promise<MadeEnvironment>;

export type MadeEnvironment =
  | { readonly kind: 'made'; readonly environment: Environment }
  | { readonly kind: 'failed'; readonly failure: StartFailure };

export interface PoolSettings {
  readonly idleMilliseconds: number;
  readonly environmentsMax: number;
  /** Why no function is run on this host; undefined: they are. */
  readonly refusal: string | undefined;
}

export function createEnvironmentPools(
  make: MakeEnvironment,
  settings: PoolSettings,
): EnvironmentPools {
  return new Pools(make, settings);
}

/** Cold starts at a time: more would only make each of them slower. */
const startsMax = 4;
/** Events that wait for an environment of one pool; more are throttled. */
const waitingMax = 500;

/** Environments of one version with one configuration (and one tenant): never of two. */
interface Pool {
  readonly subject: Subject;
  /** The most recently used last. */
  readonly idle: Parked[];
  readonly waiting: ((taken: Taken) => void)[];
  starting: number;
  retired: boolean;
}

interface Parked {
  readonly environment: Environment;
  readonly timer: NodeJS.Timeout;
}

type Taken =
  | { readonly kind: 'taken'; readonly environment: Environment }
  | { readonly kind: 'failed'; readonly failure: StartFailure };

class Pools implements EnvironmentPools {
  readonly #make: MakeEnvironment;
  readonly #settings: PoolSettings;
  readonly #pools = new Map<string, Pool>();
  readonly #alive = new Set<Environment>();
  readonly #closing = new Set<Promise<void>>();
  #starting = 0;

  constructor(make: MakeEnvironment, settings: PoolSettings) {
    this.#make = make;
    this.#settings = settings;
  }

  async prepare(subject: Subject): Promise<StartFailure | undefined> {
    const made = await this.#makeOne(subject);
    if (made.kind === 'failed') return made.failure;
    const failure = await made.environment.initialise();
    if (failure) {
      this.#discard(made.environment);
      return startFailure(failure);
    }
    this.#release(this.#poolOf(subject), made.environment);
    return undefined;
  }

  async invoke(subject: Subject, event: RuntimeEvent): Promise<Invoked> {
    const pool = this.#poolOf(subject);
    if (pool.idle.length === 0 && pool.waiting.length >= waitingMax) return { kind: 'throttled' };
    const taken = await this.#take(pool);
    if (taken.kind === 'failed') return { kind: 'not-started', failure: taken.failure };
    const answer = await taken.environment.invoke(event);
    // The next event may only begin once the report on this one is told.
    void answer.logTail.finally(() => this.#release(pool, taken.environment));
    return { kind: 'answered', ...answer };
  }

  retire(versionId: number, keepConfigurationId?: number): void {
    for (const [key, pool] of this.#pools) {
      const { subject } = pool;
      if (subject.versionId !== versionId || subject.configurationId === keepConfigurationId) {
        continue;
      }
      this.#pools.delete(key);
      pool.retired = true;
      for (const parked of pool.idle.splice(0)) this.#letGo(parked);
    }
  }

  async close(): Promise<void> {
    for (const pool of this.#pools.values()) {
      pool.retired = true;
      for (const { timer } of pool.idle) clearTimeout(timer);
    }
    for (const environment of this.#alive) this.#discard(environment);
    await Promise.all(this.#closing);
  }

  #poolOf(subject: Subject): Pool {
    const key = `${subject.versionId} ${subject.configurationId} ${subject.tenantId ?? ''}`;
    let pool = this.#pools.get(key);
    if (!pool) {
      pool = { subject, idle: [], waiting: [], starting: 0, retired: false };
      this.#pools.set(key, pool);
    }
    return pool;
  }

  #take(pool: Pool): Promise<Taken> {
    const parked = pool.idle.pop();
    if (parked) {
      clearTimeout(parked.timer);
      return Promise.resolve({ kind: 'taken', environment: parked.environment });
    }
    return new Promise((resolve) => {
      pool.waiting.push(resolve);
      this.#grow(pool);
    });
  }

  /** Starts environments for those who wait, as many as there is room for. */
  #grow(pool: Pool): void {
    while (pool.starting < pool.waiting.length && this.#starting < startsMax && this.#makeRoom()) {
      void this.#startOne(pool);
    }
  }

  async #startOne(pool: Pool): Promise<void> {
    pool.starting += 1;
    this.#starting += 1;
    let made: MadeEnvironment;
    try {
      made = await this.#makeOne(pool.subject);
      // A start that fails is tried again by the event, which tells its caller why.
      if (made.kind === 'made') await made.environment.initialise();
    } catch (error) {
      made = { kind: 'failed', failure: internalError(error) };
    } finally {
      pool.starting -= 1;
      this.#starting -= 1;
    }
    if (made.kind === 'made') this.#release(pool, made.environment);
    else pool.waiting.shift()?.(made);
    this.#growAll();
  }

  async #makeOne(subject: Subject): Promise<MadeEnvironment> {
    const { refusal } = this.#settings;
    if (refusal !== undefined) {
      return { kind: 'failed', failure: { code: 'InvalidConfiguration', text: refusal } };
    }
    const made = await this.#make(subject);
    if (made.kind === 'made') this.#alive.add(made.environment);
    return made;
  }

  #growAll(): void {
    for (const pool of this.#pools.values()) {
      if (pool.waiting.length > 0) this.#grow(pool);
    }
  }

  #release(pool: Pool, environment: Environment): void {
    const next = pool.waiting.shift();
    if (next) {
      next({ kind: 'taken', environment });
      return;
    }
    if (pool.retired) {
      this.#discard(environment);
      return;
    }
    const timer = setTimeout(() => {
      const at = pool.idle.findIndex((parked) => parked.environment === environment);
      for (const parked of pool.idle.splice(at, 1)) this.#letGo(parked);
    }, this.#settings.idleMilliseconds);
    timer.unref();
    pool.idle.push({ environment, timer });
  }

  /** False when every environment that may live is busy. */
  #makeRoom(): boolean {
    if (this.#alive.size < this.#settings.environmentsMax) return true;
    for (const pool of this.#pools.values()) {
      const oldest = pool.idle.shift();
      if (oldest) {
        this.#letGo(oldest);
        return true;
      }
    }
    return false;
  }

  #letGo({ environment, timer }: Parked): void {
    clearTimeout(timer);
    this.#discard(environment);
  }

  #discard(environment: Environment): void {
    if (!this.#alive.delete(environment)) return;
    const closed = environment.close();
    this.#closing.add(closed);
    void closed.finally(() => {
      this.#closing.delete(closed);
      this.#growAll();
    });
  }
}

function internalError(error: unknown): StartFailure {
  const text = error instanceof Error ? error.message : String(error);
  return { code: 'InternalError', text };
}
