/** Counters that several processes count on together. */
export interface SharedCounters {
  /**
   * Adds to a counter, which expires so long after it was started; only a positive amount starts one. Gives its sum and how long it
   * has left; undefined where the counters cannot be reached just now: callers then count by themselves.
   */
  add(
    key: string,
    amount: number,
    lifeMilliseconds: number,
  ): Promise<{ readonly sum: number; readonly leftMilliseconds: number } | undefined>;
  close(): void;
}
