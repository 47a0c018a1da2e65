import type { Clock } from '#platform/clock.ts';
import type { Random } from '#platform/random.ts';

/** The root of a trace of its own: `1-<seconds>-<96 bits>`. */
export function newTraceRoot(clock: Clock, random: Random): string {
  const seconds = Math.floor(clock.now() / 1000)
    .toString(16)
    .padStart(8, '0');
  return `1-${seconds}-${random.bytes(12).toString('hex')}`;
}

export function newSegmentId(random: Random): string {
  return random.bytes(8).toString('hex');
}
