/** Tells what has been without use for long enough, from looks at it from time to time. */
export interface Lapse {
  /**
   * Is told everything of a kind that is unused at this look. Answers what was unused at every look for the whole time, the
   * given number at most; the rest comes next time. The time of what is answered, or was not unused at a look, begins anew.
   */
  ended(kind: string, unused: readonly string[], max: number): ReadonlySet<string>;
}

/** `elapsed` counts milliseconds from any moment and is never set, unlike the wall clock: a step of that would end times early, or late. */
export function createLapse(elapsed: () => number, milliseconds: number): Lapse {
  const kinds = new Map<string, ReadonlyMap<string, number>>();
  return {
    ended(kind, unused, max) {
      const now = elapsed();
      const before = kinds.get(kind);
      const since = new Map(unused.map((name) => [name, before?.get(name) ?? now]));
      const over = unused.filter((name) => now - (since.get(name) ?? now) >= milliseconds);
      const answered = new Set(over.slice(0, max));
      for (const name of answered) since.delete(name);
      kinds.set(kind, since);
      return answered;
    },
  };
}
