import type { Clock } from '#platform/clock.ts';

/** A clock that stands still until a test moves it. */
export interface MovableClock extends Clock {
  advance(milliseconds: number): void;
}

export function movableClock(): MovableClock {
  let now = Date.UTC(2026, 0, 5, 9, 30);
  return {
    now: () => now,
    advance(milliseconds) {
      now += milliseconds;
    },
  };
}
