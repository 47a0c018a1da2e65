/** The only reader of the wall clock: tests replace it by a fixed or moving one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
