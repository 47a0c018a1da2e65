import type { RuntimeEvent } from '../../runtime-api/runtime-channel.ts';
import type { StartFailure, VersionSpec } from '../version-spec.ts';
import type { CapacityLimits } from './capacity.ts';
import type { InvocationResult } from '../execution-environment.ts';
import type { EnvironmentState } from './pooled-environment.ts';

/**
 * The port to the execution environments of all functions. `create-environment-pool.ts` makes it;
 * `invocation-recorder.ts` wraps it (in `start-functions.ts`) to count invocations.
 */
export interface EnvironmentPool {
  /** Starts an environment before any event: the first one finds it idle. */
  prewarm(spec: VersionSpec): Promise<StartFailure | undefined>;
  /** Runs an event in an idle environment of the function version, or in one started for it. */
  runEvent(spec: VersionSpec, event: RuntimeEvent): Promise<EventOutcome>;
  /**
   * Provisioned concurrency: starts as many environments as needed to have `count`, and maintains that number until another count is
   * given. If one does not start, returns the reason and maintains none, unless another count was given meanwhile: calls for one version
   * start environments one after the other, and the last decides.
   */
  ensureProvisioned(spec: VersionSpec, count: number): Promise<StartFailure | undefined>;
  /** Maintains provisioned environments of no other versions of the function. */
  releaseProvisioned(functionName: string, exceptVersionIds: ReadonlySet<number>): void;
  /** Closes a version's environments, except those of one configuration, after their current and queued events. */
  drain(versionId: number, keepConfigurationId?: number): void;
  /** Closes the environments of all other functions, after their current and queued events. */
  retain(isOwn: (functionName: string) => boolean): void;
  /** Versions of which an environment that stands for a snapshot is retained however long it is idle, until they are drained. */
  snapshotVersionIds(): ReadonlySet<number>;
  /** Closes environments that have been idle for long. The clock may have been set forward by so many milliseconds. */
  reap(forward?: number): void;
  /** How many environments there are now, by state, and how many have been started in all. */
  counts(): EnvironmentCounts;
  close(): Promise<void>;
}

export interface EnvironmentCounts {
  readonly now: Readonly<Record<LiveState, number>>;
  readonly started: number;
}

type LiveState = Exclude<EnvironmentState, 'closed'>;

/** What became of an event. */
export type EventOutcome =
  | ({ readonly kind: 'answered' } & InvocationResult)
  /** The queue is full, or all capacity is provisioned for other functions. */
  | { readonly kind: 'throttled' }
  | { readonly kind: 'not-started'; readonly failure: StartFailure }
  /** The environment was lost through no fault of the function, which may have processed the event. */
  | { readonly kind: 'lost' };

export interface PoolSettings extends CapacityLimits {
  readonly idleMilliseconds: number;
  /** Why functions are disabled on this host; undefined when they are not. */
  readonly refusal: string | undefined;
  /** Receives internal errors of the service; callers do not see the cause. */
  readonly onError: (error: unknown, context: FaultContext) => void;
}

export interface FaultContext {
  readonly functionName: string;
  /** The id of the event that was to run, if there is one. */
  readonly requestId?: string;
}
