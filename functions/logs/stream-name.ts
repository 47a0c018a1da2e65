import type { Clock } from '#platform/clock.ts';
import type { Random } from '#platform/random.ts';

/** `2026/11/21/[$LATEST]<32 hexadecimal digits>`: the day on which the environment was created, and its version. */
export function newStreamName(clock: Clock, random: Random, version: string): string {
  const day = new Date(clock.now()).toISOString().slice(0, 10).replaceAll('-', '/');
  return `${day}/[${version}]${random.bytes(16).toString('hex')}`;
}
