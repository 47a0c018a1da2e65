import type { RuntimeEvent } from '../../runtime-api/runtime-channel.ts';
import type { StartFailure, VersionSpec } from '../version-spec.ts';
import type { CapacityLimits } from './capacity.ts';
import type { Answer } from '../execution-environment.ts';

/** The port to the execution environments of all functions. */
export interface EnvironmentPool {
  /** Starts an environment ahead of any event; the first event that comes finds it idle. */
  prewarm(spec: VersionSpec): Promise<StartFailure | undefined>;
  /** Runs an event in an idle environment of the subject, or in one started for it. */
  invoke(spec: VersionSpec, event: RuntimeEvent): Promise<Invoked>;
  /**
   * Provisioned concurrency: starts as many environments as are missing, so that there are `count`, and keeps that many until
   * another count is given. If one does not start the answer is why, and none is kept.
   */
  ensureProvisioned(spec: VersionSpec, count: number): Promise<StartFailure | undefined>;
  /** Closes a version's environments, but for those of one configuration; what they work on, and what waits for them, ends first. */
  drain(versionId: number, keepConfigurationId?: number): void;
  close(): Promise<void>;
}

export type Invoked =
  | ({ readonly kind: 'answered' } & Answer)
  /** Too many events wait already, or all capacity is provisioned for other functions. */
  | { readonly kind: 'throttled' }
  | { readonly kind: 'not-started'; readonly failure: StartFailure }
  /** The environment was lost, by no fault of the function, which may have worked on the event. */
  | { readonly kind: 'lost' };

export interface PoolSettings extends CapacityLimits {
  readonly idleMilliseconds: number;
  /** Why no function is run on this host; undefined: they are. */
  readonly refusal: string | undefined;
  /** Hears of faults of the service: callers are not told the cause. */
  readonly onError: (error: unknown, about: FaultContext) => void;
}

export interface FaultContext {
  readonly functionName: string;
  /** Of the event that was to run, where there is one. */
  readonly requestId?: string;
}
