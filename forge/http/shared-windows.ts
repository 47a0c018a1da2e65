import { inBackground } from '#platform/in-background.ts';
import type { SharedCounters } from '#platform/shared-counters.ts';

export interface SharedWindow {
  readonly key: string;
  readonly milliseconds: number;
  readonly max: number;
}

/**
 * Counts a request in windows that several processes share, or in none of them where one is full: `waitSeconds` is until none is full.
 * Undefined where the counters cannot be reached: the process then counts by itself, because a failure of them must not refuse anybody.
 */
export async function countInWindows(
  counters: SharedCounters,
  windows: readonly SharedWindow[],
): Promise<{ readonly waitSeconds: number | undefined } | undefined> {
  const counting = windows.map(({ key, milliseconds }) => counters.add(key, 1, milliseconds));
  const counted = await Promise.all(counting);
  const ends: number[] = [];
  for (const [at, { max }] of windows.entries()) {
    const one = counted[at];
    if (!one) return undefined;
    if (one.sum > max) ends.push(one.leftMilliseconds);
  }
  if (ends.length === 0) return { waitSeconds: undefined };
  for (const { key, milliseconds } of windows) inBackground(counters.add(key, -1, milliseconds));
  return { waitSeconds: Math.max(1, Math.ceil(Math.max(...ends) / 1000)) };
}
