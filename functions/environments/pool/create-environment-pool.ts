/** The execution environments of all functions: starts them, runs events in them and closes them as the scheduler decides. */
import { inBackground } from '#platform/in-background.ts';
import { createSerialQueues } from '#platform/serial-queues.ts';
import { storageFailure } from '#platform/storage-failure.ts';

import { LauncherUnavailableError } from '../../launcher/launcher.ts';
import type { RuntimeEvent } from '../../runtime-api/runtime-channel.ts';
import { waitForOutput, within } from '../within.ts';
import { internalError, stoppingFailure } from '../start-failure.ts';
import type { StartFailure, VersionSpec } from '../version-spec.ts';
import type {
  EnvironmentCounts,
  EnvironmentPool,
  EventOutcome,
  PoolSettings,
} from './environment-pool.ts';
import {
  type VersionEnvironments,
  type EnvironmentState,
  versionKey,
  type PooledEnvironment,
  startEnvironment,
  untilFree,
} from './pooled-environment.ts';
import { Scheduler } from './scheduler.ts';
import type { Acquired, EventWaiter, Prewarm } from './wait-queues.ts';
import { EnvironmentLostError, type CreateEnvironment } from '../execution-environment.ts';

export function createEnvironmentPool(
  create: CreateEnvironment,
  settings: PoolSettings,
): EnvironmentPool {
  return new Pool(create, settings);
}

/** Events that wait for an environment of one function; more are throttled. */
const waitingMax = 500;
/** Environments of provisioned concurrency that are started together; when one fails, no more are. */
const provisionedAtOnce = 4;
/** Tries of an event, or of a start, that meets a fault of the service; then its caller gets an error. */
const attemptsMax = 2;
/** Time for environments to be closed when the server stops; the launcher ends what is left. */
const closeMilliseconds = 15_000;

class Pool implements EnvironmentPool {
  readonly #create: CreateEnvironment;
  readonly #settings: PoolSettings;
  readonly #scheduler: Scheduler;
  readonly #reaper: NodeJS.Timeout;
  /** Runs the calls of `ensureProvisioned` for one version one after the other; by `versionKey`. */
  readonly #provisionedConcurrency = createSerialQueues();
  /** Starts and closings in progress. */
  readonly #underWay = new Set<Promise<void>>();
  #arrivals = 0;
  #closed = false;

  constructor(create: CreateEnvironment, settings: PoolSettings) {
    this.#create = create;
    this.#settings = settings;
    this.#scheduler = new Scheduler(settings, {
      start: (pooled, spec, prewarm) => this.#track(this.#start(pooled, spec, prewarm), spec),
      closed: (pooled, from) => this.#remove(pooled, from),
    });
    this.#reaper = setInterval(() => this.reap(), settings.idleMilliseconds / 4).unref();
  }

  prewarm(spec: VersionSpec): Promise<StartFailure | undefined> {
    return this.#prewarm(this.#scheduler.versionOf(spec), spec);
  }

  ensureProvisioned(spec: VersionSpec, count: number): Promise<StartFailure | undefined> {
    const version = this.#scheduler.versionOf(spec);
    const key = versionKey(spec);
    version.minimum = count;
    // One call at a time: another one must not count environments that are still starting for this one, and may fail.
    return this.#provisionedConcurrency.run(key, async () => {
      let failure: StartFailure | undefined;
      while (!failure && version.environments.size < version.minimum) {
        const missing = Math.min(version.minimum - version.environments.size, provisionedAtOnce);
        const starts = Array.from({ length: missing }, () => this.#startProvisioned(version));
        failure = (await Promise.all(starts)).find((outcome) => outcome !== undefined);
      }
      const isLast = this.#provisionedConcurrency.length(key) === 1;
      if (failure && isLast) version.minimum = 0;
      return failure;
    });
  }

  releaseProvisioned(functionName: string, exceptVersionIds: ReadonlySet<number>): void {
    this.#scheduler.releaseProvisioned(functionName, exceptVersionIds);
  }

  async runEvent(spec: VersionSpec, event: RuntimeEvent): Promise<EventOutcome> {
    const version = this.#scheduler.versionOf(spec);
    const arrival = (this.#arrivals += 1);
    for (let attempt = 1; ; attempt += 1) {
      const acquired = await this.#acquire(version, event, arrival);
      if (acquired.kind !== 'acquired') return acquired;
      const { pooled } = acquired;
      if (pooled.environment?.isExpired() === true) {
        this.#scheduler.releaseAndClose(pooled);
        attempt -= 1; // An expired environment was not tried.
        continue;
      }
      try {
        if (!pooled.environment) throw new EnvironmentLostError(false);
        const result = await pooled.environment.process(event);
        const reported = untilFree(pooled, result).finally(() => this.#scheduler.release(pooled));
        inBackground(reported, (error) => this.#fault(error, spec, event.requestId));
        return { kind: 'answered', ...result };
      } catch (error) {
        this.#scheduler.discard(pooled);
        this.#fault(error, spec, event.requestId);
        const delivered = !(error instanceof EnvironmentLostError) || error.delivered;
        if (delivered || attempt === attemptsMax) return { kind: 'lost' };
      }
    }
  }

  drain(versionId: number, keepConfigurationId?: number): void {
    this.#scheduler.drain(
      (spec) => spec.versionId === versionId && spec.configurationId !== keepConfigurationId,
    );
  }

  retain(isOwn: (functionName: string) => boolean): void {
    this.#scheduler.drain(({ functionName }) => !isOwn(functionName));
  }

  snapshotVersionIds(): ReadonlySet<number> {
    return this.#scheduler.snapshotVersionIds();
  }

  readonly counts = (): EnvironmentCounts => this.#scheduler.counts();

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#reaper);
    for (const waiter of this.#scheduler.close()) waiter.failed(stoppingFailure);
    await within(closeMilliseconds, this.#nothingUnderWay());
  }

  async #nothingUnderWay(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Why the pool runs no events now. */
  #refusal(): StartFailure | undefined {
    if (this.#closed) return stoppingFailure;
    const { refusal } = this.#settings;
    return refusal === undefined ? undefined : { code: 'InvalidConfiguration', text: refusal };
  }

  #acquire(
    version: VersionEnvironments,
    { requestId, traceHeader }: RuntimeEvent,
    arrival: number,
  ): Acquired | Promise<Acquired> {
    const failure = this.#refusal();
    if (failure) return { kind: 'not-started', failure };
    const pooled = this.#scheduler.acquire(version);
    if (pooled) return { kind: 'acquired', pooled };
    if (this.#scheduler.waiting(version) >= waitingMax) return { kind: 'throttled' };
    const { promise, resolve } = Promise.withResolvers<Acquired>();
    const waiter: EventWaiter = {
      kind: 'event',
      version,
      arrival,
      requestId,
      traceHeader,
      mayStart: false,
      faults: 0,
      acquired: (taken) => resolve({ kind: 'acquired', pooled: taken }),
      failed: (reason) => resolve({ kind: 'not-started', failure: reason }),
      throttled: () => resolve({ kind: 'throttled' }),
    };
    this.#scheduler.wait(waiter);
    // An environment that has just responded is free after its REPORT line: sooner than another could start.
    const begin = (): void => {
      waiter.mayStart = true;
      this.#scheduler.dispatch();
    };
    inBackground(waitForOutput().then(begin));
    return promise;
  }

  /** Starts an environment before any event. */
  #prewarm(version: VersionEnvironments, spec: VersionSpec): Promise<StartFailure | undefined> {
    const refusal = this.#refusal();
    if (refusal) return Promise.resolve(refusal);
    const { promise, resolve } = Promise.withResolvers<StartFailure | undefined>();
    this.#scheduler.prewarm({
      kind: 'prewarm',
      arrival: (this.#arrivals += 1),
      version,
      spec,
      faults: 0,
      ready: () => resolve(undefined),
      failed: resolve,
    });
    return promise;
  }

  #startProvisioned(version: VersionEnvironments): Promise<StartFailure | undefined> {
    return this.#prewarm(version, { ...version.spec, provisioned: true });
  }

  async #start(
    pooled: PooledEnvironment,
    spec: VersionSpec,
    prewarm: Prewarm | undefined,
  ): Promise<void> {
    const outcome = await startEnvironment(this.#create, pooled, spec, {
      isPrewarm: prewarm !== undefined,
      onLost: () => this.#scheduler.discard(pooled),
    });
    if (outcome.kind === 'closed' && pooled.environment) {
      this.#track(pooled.environment.close(), spec);
    }
    if (outcome.kind === 'ready' && pooled.state === 'starting') {
      prewarm?.ready();
      this.#scheduler.started(pooled);
      return;
    }
    // What the pool has closed meanwhile did not fail by itself.
    const failedByItself = pooled.state === 'starting';
    // A retry needs the capacity first; an event must learn of the failure before another start is made for it.
    if (prewarm) this.#scheduler.discard(pooled);
    if (outcome.kind === 'failed' && failedByItself) {
      (prewarm ?? this.#scheduler.takeFirst(pooled.version))?.failed(outcome.failure);
    } else {
      const error = outcome.kind === 'fault' ? outcome.error : new EnvironmentLostError(false);
      this.#startFaulted(pooled, error, prewarm);
    }
    this.#scheduler.discard(pooled);
  }

  /** A start that failed by an internal error is tried once more, unless that cannot succeed. */
  #startFaulted(
    { version }: PooledEnvironment,
    error: unknown,
    prewarm: Prewarm | undefined,
  ): void {
    if (this.#closed) {
      prewarm?.failed(stoppingFailure);
      return;
    }
    const waiter = prewarm ?? this.#scheduler.first(version);
    if (waiter) waiter.faults += 1;
    const isUnavailable = error instanceof LauncherUnavailableError;
    const isFinal = isUnavailable || storageFailure(error) !== undefined;
    if (waiter && (isFinal || waiter.faults === attemptsMax)) {
      if (!prewarm) this.#scheduler.takeFirst(version);
      waiter.failed(internalError(error));
      // The launcher was unavailable for some time, so all other waiting events fail too instead of waiting as long again.
      const others = isUnavailable ? this.#scheduler.takeEvents() : [];
      for (const event of others) event.failed(internalError(error));
      return;
    }
    // This start has no caller to report to.
    this.#fault(
      error,
      version.spec,
      prewarm ? undefined : this.#scheduler.first(version)?.requestId,
    );
    if (prewarm) this.#scheduler.prewarm(prewarm);
  }

  #remove({ environment, version }: PooledEnvironment, from: EnvironmentState): void {
    if (environment) this.#track(environment.close(), version.spec);
    // Do not replace one that did not even start: that would never end.
    if (from !== 'starting') this.#replenish(version);
  }

  #replenish(version: VersionEnvironments): void {
    if (this.#closed || version.environments.size >= version.minimum) return;
    // The function's log says why it does not start; the reaper tries again.
    inBackground(this.#startProvisioned(version), (error) => this.#fault(error, version.spec));
  }

  reap(forward = 0): void {
    this.#scheduler.reapIdle(performance.now() - this.#settings.idleMilliseconds, forward);
    for (const version of this.#scheduler.belowMinimum()) this.#replenish(version);
  }

  #track(work: Promise<void>, spec: VersionSpec): void {
    const tracked = work
      .catch((error: unknown) => this.#fault(error, spec))
      .finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  #fault(error: unknown, { functionName }: VersionSpec, requestId?: string): void {
    const event = requestId === undefined ? {} : { requestId };
    this.#settings.onError(error, { functionName, ...event });
  }
}
