import type { SharedCounters } from '#platform/shared-counters.ts';

/** Counters that several forges of a test count on together; none expires. */
export function countersInMemory(isAway: () => boolean): SharedCounters {
  const sums = new Map<string, number>();
  return {
    async add(key, amount, lifeMilliseconds) {
      if (isAway()) return undefined;
      const sum = (sums.get(key) ?? 0) + amount;
      sums.set(key, sum);
      return { sum, leftMilliseconds: lifeMilliseconds };
    },
    close() {},
  };
}
