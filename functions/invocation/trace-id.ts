import type { Clock } from '#platform/clock.ts';
import type { Random } from '#platform/random.ts';

/** A trace of its own for an invocation: `Root=1-<time>-<96 bits>;Parent=<64 bits>;Sampled=0`. */
export function newTraceId(clock: Clock, random: Random): string {
  const seconds = Math.floor(clock.now() / 1000).toString(16);
  const root = random.bytes(12).toString('hex');
  const parent = random.bytes(8).toString('hex');
  return `Root=1-${seconds}-${root};Parent=${parent};Sampled=0`;
}
