/** The only reader of the wall clock: tests replace it by a fixed or moving one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** The time on the host's clock; absent: the same. */
  hostNow?(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** The time as clients and programs see it, where tests have set the clock of the server alone. */
export function hostTime(clock: Clock): number {
  return clock.hostNow?.() ?? clock.now();
}

/**
 * Whether a time that was set so many milliseconds ahead has still to come. One that is further ahead than that was set before the clock
 * was set back: waiting for it could take years.
 */
export function isAhead(end: number, now: number, milliseconds: number): boolean {
  return end > now && end <= now + milliseconds;
}
