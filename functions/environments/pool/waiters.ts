import type { StartFailure, VersionSpec } from '../version-spec.ts';
import type { EnvironmentGroup, PooledEnvironment } from './pooled-environment.ts';

/** An event that waits for a slot, in the line of its group. */
export interface EventWaiter {
  readonly kind: 'event';
  /** Among all that were ever waited for, of whatever function. */
  readonly arrival: number;
  readonly requestId: string;
  /** False for a moment: an environment that has just answered is free sooner than another could start. */
  mayStart: boolean;
  /** Starts that failed by a fault of the service while it was the first in line. */
  faults: number;
  /** A slot of this environment was taken for it. */
  acquired(pooled: PooledEnvironment): void;
  failed(failure: StartFailure): void;
  /** There is no capacity for it, and none will become free. */
  throttled(): void;
}

/** A start that was asked for ahead of any event; all of these wait in one line. */
export interface StartRequest {
  readonly kind: 'start';
  readonly arrival: number;
  readonly group: EnvironmentGroup;
  readonly spec: VersionSpec;
  faults: number;
  ready(): void;
  failed(failure: StartFailure): void;
}
