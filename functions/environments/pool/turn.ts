import type { EnvironmentGroup } from './pooled-environment.ts';

/** What waits for an environment: an event, or a start ahead of any. */
export interface Waiting {
  readonly group: EnvironmentGroup;
  /** A sequence number over the waiters of all functions. */
  readonly arrival: number;
}

/**
 * The order in which waiters of all functions are served; negative where `one` comes first. An option of functions that changes it
 * (`group.spec.configuration`) is compared before the arrival, which decides between waiters of one group.
 */
export function compareTurns(one: Waiting, other: Waiting): number {
  return one.arrival - other.arrival;
}
