/** Tracks the environments and their states and decides what is served next; nothing here is asynchronous. */
import type { VersionSpec } from '../version-spec.ts';
import { Capacity, type CapacityLimits, type Exhausted } from './capacity.ts';
import type { EnvironmentCounts } from './environment-pool.ts';
import { firstToEvict, isReapable, mayBecomeFree } from './eviction.ts';
import {
  VersionEnvironments,
  versionKey,
  PooledEnvironment,
  keyWithoutTenant,
  type EnvironmentState,
} from './pooled-environment.ts';
import { compareTurns, WaitQueues, type EventWaiter, type Prewarm } from './wait-queues.ts';

export interface SchedulerActions {
  /** Begins to start an environment; the outcome is reported by `started` or `discard`. */
  start(pooled: PooledEnvironment, spec: VersionSpec, prewarm: Prewarm | undefined): void;
  /** Removes the resources of a closed environment. */
  closed(pooled: PooledEnvironment, from: EnvironmentState): void;
}

/** All prewarms wait in one queue, events in the queue of their version. */
const prewarms = 'prewarms';
type QueueKey = VersionEnvironments | typeof prewarms;

export class Scheduler {
  readonly #actions: SchedulerActions;
  readonly #capacity: Capacity;
  readonly #queues = new WaitQueues<QueueKey, EventWaiter | Prewarm>(compareTurns);
  /** By `versionKey`; what drains is no longer in it. */
  readonly #versions = new Map<string, VersionEnvironments>();
  readonly #environments = new Set<PooledEnvironment>();
  #started = 0;
  #dispatching = false;

  constructor(limits: CapacityLimits, actions: SchedulerActions) {
    this.#capacity = new Capacity(limits);
    this.#actions = actions;
  }

  versionOf(spec: VersionSpec): VersionEnvironments {
    const key = versionKey(spec);
    const version = this.#versions.get(key) ?? new VersionEnvironments(spec);
    this.#versions.set(key, version);
    return version;
  }

  /** Takes a slot immediately; undefined when there is none, or when others of the version wait for one. */
  acquire(version: VersionEnvironments): PooledEnvironment | undefined {
    const pooled = this.waiting(version) === 0 ? this.#availableTo(version) : undefined;
    if (pooled) this.#occupy(pooled, version);
    return pooled;
  }

  release(pooled: PooledEnvironment): void {
    // It may have been lost while the REPORT line was written.
    if (pooled.state === 'closed') return;
    const inUse = pooled.inUse - 1;
    const unused = pooled.closesAfterLastEvent ? 'closed' : 'idle';
    this.#transition(pooled, inUse === 0 ? unused : pooled.state, inUse);
  }

  /** Gives a slot back of an environment that gets no more events, and is closed after its last. */
  releaseAndClose(pooled: PooledEnvironment): void {
    pooled.closesAfterLastEvent = true;
    this.release(pooled);
  }

  /** An environment is ready for events. */
  started(pooled: PooledEnvironment): void {
    this.#transition(pooled, 'idle');
  }

  /** An environment can no longer be used, in whatever state it was. */
  discard(pooled: PooledEnvironment): void {
    if (pooled.state !== 'closed') this.#transition(pooled, 'closed');
  }

  /** How many events of a version wait. */
  waiting(version: VersionEnvironments): number {
    return this.#queues.length(version);
  }

  wait(waiter: EventWaiter): void {
    this.#queues.add(waiter.version, waiter);
  }

  /** Removes and returns the event of a version whose turn it is. */
  takeFirst(version: VersionEnvironments): EventWaiter | undefined {
    const waiter = this.#queues.shift(version);
    return waiter?.kind === 'event' ? waiter : undefined;
  }

  first(version: VersionEnvironments): EventWaiter | undefined {
    const waiter = this.#queues.at(version, 0);
    return waiter?.kind === 'event' ? waiter : undefined;
  }

  /** Removes and returns the waiting events of all versions. */
  takeEvents(): EventWaiter[] {
    const waiters = this.#queues.takeAll((key) => key !== prewarms);
    return waiters.filter((waiter) => waiter.kind === 'event');
  }

  prewarm(prewarm: Prewarm): void {
    this.#queues.add(prewarms, prewarm);
    this.dispatch();
  }

  /** For a configuration that was replaced: closes idle environments at once, the others after their events. */
  drain(isConcerned: (spec: VersionSpec) => boolean): void {
    for (const [key, version] of this.#versions) {
      if (!isConcerned(version.spec)) continue;
      this.#versions.delete(key);
      version.draining = true;
      version.minimum = 0;
      for (const pooled of version.environments) {
        if (pooled.state === 'idle') this.#transition(pooled, 'closed');
        if (pooled.state === 'busy') this.#transition(pooled, 'draining', pooled.inUse);
      }
    }
  }

  /** Closes environments unused since then, by a clock set forward; of those that represent a snapshot one stays. */
  reapIdle(since: number, forward = 0): void {
    for (const pooled of this.#environments) {
      pooled.lastUsedAt -= forward;
      if (isReapable(pooled, since)) this.discard(pooled);
    }
    // A start that waits needs its version: in one that is not in the map, no event would find the environment, and nothing drain it.
    const awaited = new Set(Array.from(this.#queues.waiters(), ({ version }) => version));
    for (const [key, version] of this.#versions) {
      if (version.isEmpty && !awaited.has(version)) this.#versions.delete(key);
    }
  }

  releaseProvisioned(name: string, exceptVersionIds: ReadonlySet<number>): void {
    for (const version of this.#versions.values()) {
      const { functionName, versionId } = version.spec;
      if (functionName === name && !exceptVersionIds.has(versionId)) version.minimum = 0;
    }
  }

  snapshotVersionIds(): Set<number> {
    const specs = Array.from(this.#versions.values(), ({ spec }) => spec);
    const retained = specs.filter(({ fromSnapshot }) => fromSnapshot === true);
    return new Set(retained.map(({ versionId }) => versionId));
  }

  /** Versions that have fewer environments than their minimum, and none starting. */
  *belowMinimum(): Iterable<VersionEnvironments> {
    for (const version of this.#versions.values()) {
      if (version.environments.size < version.minimum && version.starting === 0) yield version;
    }
  }

  counts(): EnvironmentCounts {
    const now = { starting: 0, idle: 0, busy: 0, draining: 0 };
    for (const { state } of this.#environments) if (state !== 'closed') now[state] += 1;
    return { now, started: this.#started };
  }

  /** Closes all environments; returns all waiters. */
  close(): (EventWaiter | Prewarm)[] {
    const waiters = this.#queues.takeAll();
    this.drain(() => true);
    for (const pooled of this.#environments) this.discard(pooled);
    return waiters;
  }

  /** Gives free slots and capacity to the waiters of all functions, by their turns, until none can be served. */
  dispatch(): void {
    if (this.#dispatching || this.#queues.isEmpty) return;
    this.#dispatching = true;
    const blocked = new Set<QueueKey>();
    const position = (key: QueueKey): number | undefined =>
      blocked.has(key) ? undefined : this.#positionIn(key);
    try {
      let key = this.#queues.next(position);
      for (; key !== undefined; key = this.#queues.next(position)) {
        const served = key === prewarms ? this.#servePrewarm() : this.#serveEvent(key);
        if (!served) blocked.add(key);
      }
    } finally {
      this.#dispatching = false;
    }
  }

  /**
   * The only function that changes the state or the slots of an environment: it accounts for capacity, closes environments that are
   * done, and serves those that wait for what became free.
   */
  #transition(pooled: PooledEnvironment, to: EnvironmentState, inUse = 0): void {
    const { version, state: from } = pooled;
    pooled.enter(to, inUse);
    this.#capacity.moved(version.spec.capacityProvider, from, to);
    if (from === 'starting') version.starting -= 1;
    version.refresh(pooled);
    if (to === 'closed') {
      version.remove(pooled);
      this.#environments.delete(pooled);
      this.#actions.closed(pooled, from);
    }
    this.dispatch();
    const isDone = version.draining && this.waiting(version) === 0;
    if (pooled.state === 'idle' && isDone) this.#transition(pooled, 'closed');
  }

  /** The position in a queue that is served next: those before it wait for starts in progress. */
  #positionIn(key: QueueKey): number {
    if (key === prewarms || this.#availableTo(key)) return 0;
    return key.starting * key.slotsPerEnvironment;
  }

  #serveEvent(version: VersionEnvironments): boolean {
    const pooled = this.#availableTo(version);
    if (pooled) {
      this.#occupy(pooled, version);
      this.takeFirst(version)?.acquired(pooled);
      return true;
    }
    const waiter = this.#queues.at(version, this.#positionIn(version));
    const { capacityProvider } = version.spec;
    if (waiter?.kind !== 'event' || !waiter.mayStart) return false;
    if (this.#makeCapacity(capacityProvider)) {
      this.#start(version, { ...version.spec, traceHeader: waiter.traceHeader });
      return true;
    }
    if (this.#mayBecomeFree(version)) return false;
    this.takeFirst(version)?.throttled();
    return true;
  }

  /** A prewarm waits for other starts to end, but goes beyond the maximum rather than wait for a busy environment. */
  #servePrewarm(): boolean {
    if (!this.#capacity.hasStartSlot) return false;
    const prewarm = this.#queues.shift(prewarms);
    if (prewarm?.kind !== 'prewarm') return false;
    const { version, spec } = prewarm;
    const exhausted = this.#capacity.exhausted(spec.capacityProvider);
    if (exhausted) this.#evict(exhausted, spec.capacityProvider);
    this.#start(version, spec, prewarm);
    return true;
  }

  #start(version: VersionEnvironments, spec: VersionSpec, prewarm?: Prewarm): void {
    const pooled = new PooledEnvironment(version);
    version.add(pooled);
    this.#environments.add(pooled);
    this.#started += 1;
    this.#capacity.moved(spec.capacityProvider, undefined, pooled.state);
    this.#actions.start(pooled, spec, prewarm);
  }

  /** An environment with a free slot: the version's own, or one that has no tenant yet. */
  #availableTo(version: VersionEnvironments): PooledEnvironment | undefined {
    const { available, spec } = version;
    const key = keyWithoutTenant(spec);
    if (available || key === undefined) return available;
    return this.#versions.get(key)?.available;
  }

  #occupy(pooled: PooledEnvironment, version: VersionEnvironments): void {
    if (pooled.version !== version) {
      pooled.version.remove(pooled);
      pooled.version = version;
      version.add(pooled);
    }
    this.#transition(pooled, version.draining ? 'draining' : 'busy', pooled.inUse + 1);
  }

  /** Whether an environment may be started for an event now; where there is no capacity left, idle environments are evicted. */
  #makeCapacity(provider: string | undefined): boolean {
    if (!this.#capacity.hasStartSlot) return false;
    for (;;) {
      const exhausted = this.#capacity.exhausted(provider);
      if (!exhausted) return true;
      if (!this.#evict(exhausted, provider)) return false;
    }
  }

  #mayBecomeFree({ spec: { capacityProvider }, environments }: VersionEnvironments): boolean {
    if (environments.size > 0 || !this.#capacity.hasStartSlot) return true;
    const exhausted = this.#capacity.exhausted(capacityProvider);
    return mayBecomeFree(this.#environments, exhausted, capacityProvider);
  }

  /** Closes the least recently used idle environment; false when none may be closed. */
  #evict(exhausted: Exhausted, provider: string | undefined): boolean {
    const evicted = firstToEvict(this.#environments, exhausted, provider);
    if (evicted) this.discard(evicted);
    return evicted !== undefined;
  }
}
