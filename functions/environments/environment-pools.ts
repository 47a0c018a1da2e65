import { inBackground } from '#platform/in-background.ts';

import type { Answer } from './environment.ts';
import { everythingRead } from './everything-read.ts';
import type { RuntimeEvent } from '../runtime-api/runtime-channel.ts';
import type { MakeEnvironment } from './make-environment.ts';
import {
  isOn,
  isParked,
  poolKey,
  removeSeats,
  makingOn,
  oldestParked,
  type Made,
  type Member,
  type Pool,
  type PoolSettings,
  type Taken,
} from './pool.ts';
import { internalError, startFailure } from './start-failure.ts';
import type { StartFailure, Subject } from './subject.ts';
import { forgetTenants, unassignedFor } from './tenants.ts';

export interface EnvironmentPools {
  /** Starts an environment ahead of any invocation and keeps it ready for the first. */
  prepare(subject: Subject): Promise<StartFailure | undefined>;
  /** Runs an event in a ready environment of the subject, or in one started for it. */
  invoke(subject: Subject, event: RuntimeEvent): Promise<Invoked>;
  /**
   * Starts as many environments as are missing, so that there are `count`, and lets none of those go for being idle until it is
   * told another number. What did not start is the answer, and then none is kept.
   */
  keepReady(subject: Subject, count: number): Promise<StartFailure | undefined>;
  /** Lets go of a version's environments, but for those of one configuration; busy ones finish first. */
  retire(versionId: number, keepConfigurationId?: number): void;
  close(): Promise<void>;
}

export type Invoked =
  | ({ readonly kind: 'answered' } & Answer)
  /** There was no room for another environment. */
  | { readonly kind: 'throttled' }
  | { readonly kind: 'not-started'; readonly failure: StartFailure };

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

class Pools implements EnvironmentPools {
  readonly #make: MakeEnvironment;
  readonly #settings: PoolSettings;
  readonly #pools = new Map<string, Pool>();
  readonly #members = new Set<Member>();
  readonly #closing = new Set<Promise<void>>();
  /** How many environments of a pool are kept although nobody invokes. */
  readonly #kept = new Map<Pool, number>();
  readonly #sweeper: NodeJS.Timeout;
  #starting = 0;
  /** Environments that are not members yet, and will be. */
  #making = 0;

  constructor(make: MakeEnvironment, settings: PoolSettings) {
    this.#make = make;
    this.#settings = settings;
    this.#sweeper = setInterval(() => this.#sweep(), settings.idleMilliseconds / 4);
    this.#sweeper.unref();
  }

  async prepare(subject: Subject, started = subject): Promise<StartFailure | undefined> {
    const made = await this.#makeOne(this.#poolOf(subject), started);
    if (made.kind === 'failed') return made.failure;
    const failure = await made.member.environment.initialise();
    if (failure) {
      this.#discard(made.member);
      return startFailure(failure);
    }
    this.#open(made.member);
    return undefined;
  }

  async keepReady(subject: Subject, count: number): Promise<StartFailure | undefined> {
    const pool = this.#poolOf(subject);
    this.#kept.set(pool, count);
    const alive = [...this.#members].filter((member) => member.pool === pool).length;
    for (let missing = count - alive; missing > 0; missing -= startsMax) {
      const starts = Array.from({ length: Math.min(missing, startsMax) }, () =>
        this.prepare(subject, { ...subject, provisioned: true }),
      );
      const failure = (await Promise.all(starts)).find((outcome) => outcome !== undefined);
      if (failure) {
        this.#kept.delete(pool);
        return failure;
      }
    }
    return undefined;
  }

  async invoke(subject: Subject, event: RuntimeEvent): Promise<Invoked> {
    const pool = this.#poolOf(subject);
    if (pool.seats.length === 0 && pool.waiting.length >= waitingMax) return { kind: 'throttled' };
    const taken = await this.#take(pool);
    if (taken.kind === 'failed') return { kind: 'not-started', failure: taken.failure };
    const { member } = taken;
    const answer = await member.environment.invoke(event);
    // The next event may only begin once the report on this one is told.
    inBackground(answer.logTail.finally(() => this.#release(member)));
    return { kind: 'answered', ...answer };
  }

  retire(versionId: number, keepConfigurationId?: number): void {
    for (const [key, pool] of this.#pools) {
      const { subject } = pool;
      if (subject.versionId !== versionId || subject.configurationId === keepConfigurationId) {
        continue;
      }
      this.#pools.delete(key);
      this.#kept.delete(pool);
      pool.retired = true;
      for (const member of pool.seats.splice(0)) if (member.busy === 0) this.#discard(member);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    for (const pool of this.#pools.values()) pool.retired = true;
    for (const member of this.#members) this.#discard(member);
    await Promise.all(this.#closing);
  }

  #poolOf(subject: Subject): Pool {
    const key = poolKey(subject);
    let pool = this.#pools.get(key);
    if (!pool) {
      pool = { subject, seats: [], waiting: [], starting: 0, making: 0, retired: false };
      this.#pools.set(key, pool);
    }
    return pool;
  }

  #take(pool: Pool): Promise<Taken> {
    if (pool.seats.length === 0) this.#adopt(pool);
    const member = pool.seats.pop();
    if (member) {
      member.busy += 1;
      return Promise.resolve({ kind: 'taken', member });
    }
    return new Promise((resolve) => {
      pool.waiting.push(resolve);
      // One that has answered is free once its report is told: sooner than another could start.
      inBackground(everythingRead().then(() => this.#grow(pool)));
    });
  }

  #adopt(pool: Pool): void {
    const member = unassignedFor(pool, this.#pools);
    if (!member) return;
    removeSeats(member);
    member.pool = pool;
    this.#open(member);
  }

  /** Starts environments for those who wait, as many as there is room for. */
  #grow(pool: Pool): void {
    const { concurrency = 1 } = pool.subject;
    while (
      pool.starting * concurrency < pool.waiting.length &&
      this.#starting < startsMax &&
      this.#makeRoom(pool)
    ) {
      inBackground(this.#startOne(pool));
    }
  }

  async #startOne(pool: Pool): Promise<void> {
    pool.starting += 1;
    this.#starting += 1;
    let made: Made;
    try {
      made = await this.#makeOne(pool);
      // A start that fails is tried again by the event, which tells its caller why.
      if (made.kind === 'made') await made.member.environment.initialise();
    } catch (error) {
      made = { kind: 'failed', failure: internalError(error) };
    } finally {
      pool.starting -= 1;
      this.#starting -= 1;
    }
    if (made.kind === 'made') this.#open(made.member);
    else pool.waiting.shift()?.(made);
    this.#growAll();
  }

  async #makeOne(pool: Pool, subject: Subject = pool.subject): Promise<Made> {
    const { refusal } = this.#settings;
    if (refusal !== undefined) {
      return { kind: 'failed', failure: { code: 'InvalidConfiguration', text: refusal } };
    }
    pool.making += 1;
    this.#making += 1;
    const made = await this.#make(subject).finally(() => {
      pool.making -= 1;
      this.#making -= 1;
    });
    if (made.kind === 'failed') return made;
    const { environment } = made;
    const member: Member = { environment, pool, busy: 0, lastUsed: performance.now() };
    this.#members.add(member);
    return { kind: 'made', member };
  }

  /** Every event that the environment can work on at once is a seat in its pool. */
  #open(member: Member): void {
    const { concurrency = 1 } = member.pool.subject;
    for (let seat = 0; seat < concurrency; seat += 1) this.#offer(member);
  }

  #growAll(): void {
    for (const pool of this.#pools.values()) {
      if (pool.waiting.length > 0) this.#grow(pool);
    }
  }

  #release(member: Member): void {
    member.busy -= 1;
    this.#offer(member);
  }

  #offer(member: Member): void {
    const { pool } = member;
    member.lastUsed = performance.now();
    const next = pool.waiting.shift();
    if (next) {
      member.busy += 1;
      next({ kind: 'taken', member });
    } else if (!pool.retired) {
      pool.seats.push(member);
    } else if (member.busy === 0) {
      this.#discard(member);
    }
  }

  /** False when every environment that may live, on the host or where the pool's function has its room, is busy. */
  #makeRoom({ subject: { capacityProvider } }: Pool): boolean {
    const { environmentsMax, capacityProviders } = this.#settings;
    const provider = capacityProviders.get(capacityProvider ?? '');
    if (provider) {
      const alive = [...this.#members].filter(isOn(capacityProvider));
      const making = makingOn(capacityProvider, this.#pools.values());
      if (alive.length + making >= provider.environmentsMax) return this.#letGoOldest(alive);
    }
    if (this.#members.size + this.#making < environmentsMax) return true;
    return this.#letGoOldest(this.#members);
  }

  /** Lets go of the one that nobody has used for the longest; false when all are busy. */
  #letGoOldest(members: Iterable<Member>): boolean {
    const oldest = oldestParked(members, (member) => this.#isKept(member));
    if (oldest) this.#letGo(oldest);
    return oldest !== undefined;
  }

  /** Lets go of environments that nobody has invoked for a while; of a snapshot's stand-ins one stays. */
  #sweep(): void {
    const since = performance.now() - this.#settings.idleMilliseconds;
    for (const member of this.#members) {
      const { subject, seats } = member.pool;
      const lastOfSnapshot = subject.fromSnapshot === true && new Set(seats).size === 1;
      if (!isParked(member) || lastOfSnapshot || this.#isKept(member)) continue;
      if (member.lastUsed < since) this.#letGo(member);
    }
    forgetTenants(this.#pools, this.#members);
  }

  #isKept({ pool }: Member): boolean {
    return new Set(pool.seats).size <= (this.#kept.get(pool) ?? 0);
  }

  #letGo(member: Member): void {
    removeSeats(member);
    this.#discard(member);
  }

  #discard(member: Member): void {
    if (!this.#members.delete(member)) return;
    const closed = member.environment.close();
    this.#closing.add(closed);
    inBackground(closed.finally(() => this.#closing.delete(closed)).finally(() => this.#growAll()));
  }
}
