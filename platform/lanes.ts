/** Runs the work of one lane one after the other, in the order it came; lanes do not wait for each other. */
export interface Lanes {
  run<T>(lane: string, work: () => Promise<T>): Promise<T>;
  /** Runs the work alone in several lanes at once. All callers take lanes in the same order, so none waits in a circle. */
  runInAll<T>(lanes: readonly string[], work: () => Promise<T>): Promise<T>;
  /** How many runs of a lane are under way or wait for their turn. */
  length(lane: string): number;
}

export function createLanes(): Lanes {
  const lanes = new Map<string, { last: Promise<unknown>; length: number }>();

  async function run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const lane = lanes.get(name) ?? { last: Promise.resolve(), length: 0 };
    const result = lane.length === 0 ? work() : afterwards(lane.last, work);
    lane.last = result;
    lane.length += 1;
    lanes.set(name, lane);
    try {
      return await result;
    } finally {
      lane.length -= 1;
      if (lane.length === 0) lanes.delete(name);
    }
  }

  function runInOrder<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    const [first, ...rest] = names;
    return first === undefined ? work() : run(first, () => runInOrder(rest, work));
  }

  return {
    run,
    runInAll: (names, work) => runInOrder([...new Set(names)].toSorted(), work),
    length: (name) => lanes.get(name)?.length ?? 0,
  };
}

async function afterwards<T>(before: Promise<unknown>, work: () => Promise<T>): Promise<T> {
  await before.catch(() => undefined);
  return work();
}
