import type { StartFailure, VersionSpec } from '../version-spec.ts';
import type { EnvironmentGroup, PooledEnvironment } from './pooled-environment.ts';

/** An event that waits for a slot, in the queue of its group. */
export interface EventWaiter {
  readonly kind: 'event';
  /** A sequence number over the waiters of all functions. */
  readonly arrival: number;
  readonly requestId: string;
  /** Briefly false at first: an environment that has just responded is free sooner than another could start. */
  mayStart: boolean;
  /** Starts that failed by an internal error while it was first in the queue. */
  faults: number;
  /** Called when it gets a slot of this environment. */
  acquired(pooled: PooledEnvironment): void;
  failed(failure: StartFailure): void;
  /** Called when there is no capacity for it, and none will become free. */
  throttled(): void;
}

/** A start requested ahead of any event; all of these wait in one queue. */
export interface StartRequest {
  readonly kind: 'start';
  readonly arrival: number;
  readonly group: EnvironmentGroup;
  readonly spec: VersionSpec;
  faults: number;
  ready(): void;
  failed(failure: StartFailure): void;
}
