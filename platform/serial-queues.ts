/** Runs the work of one queue one after the other, in the order it came; queues do not wait for each other. */
export interface SerialQueues {
  run<T>(queue: string, work: () => Promise<T>): Promise<T>;
  /** Runs the work alone in several queues at once. All callers take queues in the same order, so there is no deadlock. */
  runInAll<T>(serialQueues: readonly string[], work: () => Promise<T>): Promise<T>;
  /** How many runs of a queue are active or waiting. */
  length(queue: string): number;
}

export function createSerialQueues(): SerialQueues {
  const serialQueues = new Map<string, { last: Promise<unknown>; length: number }>();

  async function run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const queue = serialQueues.get(name) ?? { last: Promise.resolve(), length: 0 };
    const result = queue.length === 0 ? work() : afterwards(queue.last, work);
    queue.last = result;
    queue.length += 1;
    serialQueues.set(name, queue);
    try {
      return await result;
    } finally {
      queue.length -= 1;
      if (queue.length === 0) serialQueues.delete(name);
    }
  }

  function runInOrder<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    const [first, ...rest] = names;
    return first === undefined ? work() : run(first, () => runInOrder(rest, work));
  }

  return {
    run,
    runInAll: (names, work) => runInOrder([...new Set(names)].toSorted(), work),
    length: (name) => serialQueues.get(name)?.length ?? 0,
  };
}

async function afterwards<T>(before: Promise<unknown>, work: () => Promise<T>): Promise<T> {
  await before.catch(() => undefined);
  return work();
}
