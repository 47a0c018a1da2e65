import type {
  CreateEnvironment,
  ExecutionEnvironment,
  InvocationResult,
} from '../execution-environment.ts';
import { startFailure } from '../start-failure.ts';
import type { StartFailure, VersionSpec } from '../version-spec.ts';

export type EnvironmentState =
  /** Being created and initialised: it counts against the maximum and against the starts at a time. */
  | 'starting'
  /** Waits for an event. It may be evicted for another function, or closed when it has been idle for too long. */
  | 'idle'
  /** Works on one event or several. */
  | 'busy'
  /** Works on its last events: the function has another configuration now. */
  | 'draining'
  /** Its capacity is free; its resources are being removed. */
  | 'closed';

/** The life cycle of an environment, which ARCHITECTURE.md shows as a diagram. */
export const transitions: Readonly<Record<EnvironmentState, readonly EnvironmentState[]>> = {
  starting: ['idle', 'closed'],
  idle: ['busy', 'draining', 'closed'],
  busy: ['busy', 'idle', 'draining', 'closed'],
  draining: ['draining', 'idle', 'closed'],
  closed: [],
};

/** One execution environment as the pool accounts for it. */
export class PooledEnvironment {
  /** Changes once at most: when an environment that has run no event yet is assigned to a tenant. */
  version: VersionEnvironments;
  /** Undefined until it is created. */
  environment: ExecutionEnvironment | undefined;
  /** It gets no more events: it is closed once it works on none. */
  closesAfterLastEvent = false;
  /** Slots that are taken: the events that it works on. */
  inUse = 0;
  /** By the monotonic clock, in milliseconds. */
  lastUsedAt = performance.now();
  #state: EnvironmentState = 'starting';

  constructor(version: VersionEnvironments) {
    this.version = version;
  }

  get state(): EnvironmentState {
    return this.#state;
  }

  get hasFreeSlot(): boolean {
    const { version } = this;
    return (
      this.#state !== 'starting' &&
      this.#state !== 'closed' &&
      !this.closesAfterLastEvent &&
      this.inUse < version.slotsPerEnvironment
    );
  }

  /** Only for the scheduler's transition function, which does the accounting that goes with the state. */
  enter(state: EnvironmentState, inUse: number): void {
    if (!transitions[this.#state].includes(state)) {
      throw new Error(`An execution environment cannot become ${state}: it is ${this.#state}.`);
    }
    this.#state = state;
    this.inUse = inUse;
    this.lastUsedAt = performance.now();
  }
}

/** The next event may start only after the REPORT line of this one, and when what this one has ended is gone. */
export async function untilFree(
  { environment }: PooledEnvironment,
  { logTail }: Pick<InvocationResult, 'logTail'>,
): Promise<void> {
  await logTail;
  await environment?.recovered();
}

/** Creates and initialises an environment; never rejects. */
export async function startEnvironment(
  create: CreateEnvironment,
  pooled: PooledEnvironment,
  spec: VersionSpec,
  { isPrewarm, onLost }: StartOptions,
): Promise<StartOutcome> {
  try {
    const created = await create(spec);
    if (created.kind === 'failed') return created;
    const { environment } = created;
    pooled.environment = environment;
    if (pooled.state === 'closed') return { kind: 'closed' };
    environment.onLost(onLost);
    const failure = await environment.initialise();
    if (!failure || !isPrewarm) return { kind: 'ready' };
    return { kind: 'failed', failure: startFailure(failure) };
  } catch (error) {
    return { kind: 'fault', error };
  }
}

type StartOutcome =
  | { readonly kind: 'ready' }
  /** The pool closed it while it was made. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly failure: StartFailure }
  /** Of the service. */
  | { readonly kind: 'fault'; readonly error: unknown };

interface StartOptions {
  /** Without an event. One that starts for an event is ready even if its init failed: the event repeats it, and reports why to its caller. */
  readonly isPrewarm: boolean;
  /** Called whenever the environment is lost, during the start or later. */
  readonly onLost: () => void;
}

/** The environments of one version of a function, with one configuration and one tenant: events of no other run in them. */
export class VersionEnvironments {
  readonly spec: VersionSpec;
  /** Events that one environment works on at a time. */
  readonly slotsPerEnvironment: number;
  /** All that are alive. */
  readonly environments = new Set<PooledEnvironment>();
  /** Of those, the ones with a free slot; the most recently used last. */
  readonly #available: PooledEnvironment[] = [];
  /** Of those, the ones that are starting. */
  starting = 0;
  /** Provisioned concurrency: so many environments are never evicted or closed for being idle. */
  minimum = 0;
  /** The function has another configuration now: only events that wait already are still taken. */
  draining = false;

  constructor(spec: VersionSpec) {
    this.spec = spec;
    this.slotsPerEnvironment = spec.concurrency ?? 1;
  }

  /** The most recently used one with a free slot, so that surplus environments become idle. */
  get available(): PooledEnvironment | undefined {
    return this.#available.at(-1);
  }

  /** Whether one of its idle environments may be closed. */
  get exceedsMinimum(): boolean {
    return this.environments.size - this.starting > this.minimum;
  }

  get isEmpty(): boolean {
    return this.environments.size === 0 && this.minimum === 0;
  }

  add(pooled: PooledEnvironment): void {
    this.environments.add(pooled);
    if (pooled.state === 'starting') this.starting += 1;
    this.refresh(pooled);
  }

  remove(pooled: PooledEnvironment): void {
    this.environments.delete(pooled);
    this.#takeFromAvailable(pooled);
  }

  /** After its state or its slots have changed. */
  refresh(pooled: PooledEnvironment): void {
    this.#takeFromAvailable(pooled);
    if (pooled.hasFreeSlot) this.#available.push(pooled);
  }

  #takeFromAvailable(pooled: PooledEnvironment): void {
    // Usually it is the last one.
    const at = this.#available.lastIndexOf(pooled);
    if (at >= 0) this.#available.splice(at, 1);
  }
}

export function versionKey({ versionId, configurationId, tenantId = '' }: VersionSpec): string {
  return `${versionId} ${configurationId} ${tenantId}`;
}

/** The key of a version's environments that have no tenant yet, and may be assigned to this one; undefined for functions without tenants. */
export function keyWithoutTenant({ tenantId, ...spec }: VersionSpec): string | undefined {
  return tenantId === undefined ? undefined : versionKey(spec);
}
