/** Which environments there are, what each of them is doing and who is served next; nothing here waits for anything. */
import type { VersionSpec } from '../version-spec.ts';
import { Capacity, type CapacityLimits } from './capacity.ts';
import {
  EnvironmentGroup,
  groupKey,
  PooledEnvironment,
  unassignedGroupKey,
  type EnvironmentState,
} from './pooled-environment.ts';
import { WaitQueue } from './wait-queue.ts';
import type { EventWaiter, StartRequest } from './waiters.ts';

export interface SchedulerActions {
  /** Begins to start an environment, whose end is told by `started` or `discard`. */
  start(pooled: PooledEnvironment, spec: VersionSpec, request: StartRequest | undefined): void;
  /** Removes what a closed environment held. */
  closed(pooled: PooledEnvironment, from: EnvironmentState): void;
}

/** All requests to start an environment wait in one line, events in that of their group. */
const startRequests = 'start requests';
type Line = EnvironmentGroup | typeof startRequests;

export class Scheduler {
  readonly #actions: SchedulerActions;
  readonly #capacity: Capacity;
  readonly #queue = new WaitQueue<Line, EventWaiter | StartRequest>();
  /** By key; a draining group is no longer in it. */
  readonly #groups = new Map<string, EnvironmentGroup>();
  readonly #environments = new Set<PooledEnvironment>();
  #dispatching = false;

  constructor(limits: CapacityLimits, actions: SchedulerActions) {
    this.#capacity = new Capacity(limits);
    this.#actions = actions;
  }

  groupOf(spec: VersionSpec): EnvironmentGroup {
    const key = groupKey(spec);
    let group = this.#groups.get(key);
    if (!group) {
      group = new EnvironmentGroup(spec);
      this.#groups.set(key, group);
    }
    return group;
  }

  /** Takes a slot at once; undefined when there is none, or when others of the group wait for one. */
  acquire(group: EnvironmentGroup): PooledEnvironment | undefined {
    const pooled = this.waiting(group) === 0 ? this.#availableTo(group) : undefined;
    if (pooled) this.#occupy(pooled, group);
    return pooled;
  }

  release(pooled: PooledEnvironment): void {
    // It may have been lost while the event was reported.
    if (pooled.state === 'closed') return;
    const inUse = pooled.inUse - 1;
    this.#transition(pooled, inUse === 0 ? 'idle' : pooled.state, inUse);
  }

  /** An environment is ready for events. */
  started(pooled: PooledEnvironment): void {
    this.#transition(pooled, 'idle');
  }

  /** An environment is of no more use, whatever it was doing. */
  discard(pooled: PooledEnvironment): void {
    if (pooled.state !== 'closed') this.#transition(pooled, 'closed');
  }

  /** How many events of a group wait. */
  waiting(group: EnvironmentGroup): number {
    return this.#queue.length(group);
  }

  wait(waiter: EventWaiter, group: EnvironmentGroup): void {
    this.#queue.add(group, waiter);
  }

  /** Whoever waits first in a group, and does not wait any longer. */
  takeFirst(group: EnvironmentGroup): EventWaiter | undefined {
    const waiter = this.#queue.shift(group);
    return waiter?.kind === 'event' ? waiter : undefined;
  }

  first(group: EnvironmentGroup): EventWaiter | undefined {
    const waiter = this.#queue.at(group, 0);
    return waiter?.kind === 'event' ? waiter : undefined;
  }

  /** All events that wait, of whatever group; none of them waits any longer. */
  takeEvents(): (EventWaiter | StartRequest)[] {
    return this.#queue.takeAll((line) => line !== startRequests);
  }

  request(request: StartRequest): void {
    this.#queue.add(startRequests, request);
    this.dispatch();
  }

  /** The configuration is no longer the function's: idle environments are closed, the others when their events have ended. */
  drain(isConcerned: (spec: VersionSpec) => boolean): void {
    for (const [key, group] of this.#groups) {
      if (!isConcerned(group.spec)) continue;
      this.#groups.delete(key);
      group.draining = true;
      group.minimum = 0;
      for (const pooled of group.environments) {
        if (pooled.state === 'idle') this.#transition(pooled, 'closed');
        if (pooled.state === 'busy') this.#transition(pooled, 'draining', pooled.inUse);
      }
    }
  }

  /** Closes what nobody has used since then; of the environments that stand for a snapshot one stays. */
  reapIdle(since: number): void {
    for (const pooled of this.#environments) {
      const { group, lastUsedAt } = pooled;
      const isLastOfSnapshot = group.spec.fromSnapshot === true && group.environments.size === 1;
      if (!isLastOfSnapshot && isEvictable(pooled) && lastUsedAt < since) this.discard(pooled);
    }
    for (const [key, group] of this.#groups) {
      if (group.isEmpty && this.waiting(group) === 0) this.#groups.delete(key);
    }
  }

  /** Groups that have fewer environments than they are to have, and none on its way. */
  *belowMinimum(): Iterable<EnvironmentGroup> {
    for (const group of this.#groups.values()) {
      if (group.environments.size < group.minimum && group.starting === 0) yield group;
    }
  }

  /** Gives up everything; answers with all who wait. */
  close(): (EventWaiter | StartRequest)[] {
    const waiters = this.#queue.takeAll();
    this.drain(() => true);
    for (const pooled of this.#environments) this.discard(pooled);
    return waiters;
  }

  /** Gives what is free to whoever has waited longest, of whatever function, until nobody can be served. */
  dispatch(): void {
    if (this.#dispatching || this.#queue.isEmpty) return;
    this.#dispatching = true;
    const blocked = new Set<Line>();
    const turn = (line: Line): number | undefined =>
      blocked.has(line) ? undefined : this.#turnIn(line);
    try {
      let line = this.#queue.next(turn);
      for (; line !== undefined; line = this.#queue.next(turn)) {
        const served = line === startRequests ? this.#serveRequest() : this.#serveEvent(line);
        if (!served) blocked.add(line);
      }
    } finally {
      this.#dispatching = false;
    }
  }

  /**
   * The only place where an environment changes its state or its slots: it accounts for capacity, has closed what is done, and
   * serves whoever waits for what became free.
   */
  #transition(pooled: PooledEnvironment, to: EnvironmentState, inUse = 0): void {
    const { group, state: from } = pooled;
    pooled.enter(to, inUse);
    this.#capacity.moved(group.spec.capacityProvider, from, to);
    if (from === 'starting') group.starting -= 1;
    group.refresh(pooled);
    if (to === 'closed') {
      group.remove(pooled);
      this.#environments.delete(pooled);
      this.#actions.closed(pooled, from);
    }
    this.dispatch();
    const isDone = group.draining && this.waiting(group) === 0;
    if (pooled.state === 'idle' && isDone) this.#transition(pooled, 'closed');
  }

  /** Whose turn it is in a line, by position: those before wait for starts that are under way already. */
  #turnIn(line: Line): number {
    if (line === startRequests || this.#availableTo(line)) return 0;
    return line.starting * line.slotsPerEnvironment;
  }

  #serveEvent(group: EnvironmentGroup): boolean {
    const pooled = this.#availableTo(group);
    if (pooled) {
      this.#occupy(pooled, group);
      this.takeFirst(group)?.acquired(pooled);
      return true;
    }
    const waiter = this.#queue.at(group, this.#turnIn(group));
    const { capacityProvider } = group.spec;
    if (waiter?.kind !== 'event' || !waiter.mayStart) return false;
    if (this.#makeCapacity(capacityProvider)) {
      this.#start(group, group.spec);
      return true;
    }
    if (this.#mayBecomeFree(group)) return false;
    this.takeFirst(group)?.throttled();
    return true;
  }

  /** A start ahead waits for others to end, but goes beyond the maximum rather than wait for a busy environment. */
  #serveRequest(): boolean {
    if (!this.#capacity.hasStartSlot) return false;
    const request = this.#queue.shift(startRequests);
    if (request?.kind !== 'start') return false;
    const { group, spec } = request;
    const exhausted = this.#capacity.exhausted(spec.capacityProvider);
    if (exhausted) this.#evict(exhausted, spec.capacityProvider);
    this.#start(group, spec, request);
    return true;
  }

  #start(group: EnvironmentGroup, spec: VersionSpec, request?: StartRequest): void {
    const pooled = new PooledEnvironment(group);
    group.add(pooled);
    this.#environments.add(pooled);
    this.#capacity.moved(spec.capacityProvider, undefined, pooled.state);
    this.#actions.start(pooled, spec, request);
  }

  /** An environment with a free slot: the group's own, or one that is no tenant's yet. */
  #availableTo(group: EnvironmentGroup): PooledEnvironment | undefined {
    const { available, spec } = group;
    const unassigned = unassignedGroupKey(spec);
    if (available || unassigned === undefined) return available;
    return this.#groups.get(unassigned)?.available;
  }

  #occupy(pooled: PooledEnvironment, group: EnvironmentGroup): void {
    if (pooled.group !== group) {
      pooled.group.remove(pooled);
      pooled.group = group;
      group.add(pooled);
    }
    this.#transition(pooled, group.draining ? 'draining' : 'busy', pooled.inUse + 1);
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

  /** False when all capacity there is belongs to the provisioned concurrency of other functions. */
  #mayBecomeFree({ spec: { capacityProvider }, environments }: EnvironmentGroup): boolean {
    if (environments.size > 0 || !this.#capacity.hasStartSlot) return true;
    const ofProvider = this.#capacity.exhausted(capacityProvider) === 'provider';
    return [...this.#environments].some(
      ({ group, state }) =>
        (state === 'starting' || group.draining || group.exceedsMinimum) &&
        (!ofProvider || group.spec.capacityProvider === capacityProvider),
    );
  }

  /** Closes the idle environment that nobody has used for the longest; false when there is none that may go. */
  #evict(exhausted: 'provider' | 'host', provider: string | undefined): boolean {
    let oldest: PooledEnvironment | undefined;
    for (const pooled of this.#environments) {
      const isElsewhere = pooled.group.spec.capacityProvider !== provider;
      if (!isEvictable(pooled) || (exhausted === 'provider' && isElsewhere)) continue;
      if (!oldest || pooled.lastUsedAt < oldest.lastUsedAt) oldest = pooled;
    }
    if (oldest) this.discard(oldest);
    return oldest !== undefined;
  }
}

function isEvictable({ state, group }: PooledEnvironment): boolean {
  return state === 'idle' && group.exceedsMinimum;
}
