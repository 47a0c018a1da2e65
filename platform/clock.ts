/** The only reader of the wall clock: tests put a fixed or moving one in its place. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
