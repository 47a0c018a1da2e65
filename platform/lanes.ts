/** Runs the work of one lane one after the other; lanes do not wait for each other. */
export interface Lanes {
  run<T>(lane: string, work: () => Promise<T>): Promise<T>;
}

export function createLanes(): Lanes {
  const last = new Map<string, Promise<unknown>>();
  return {
    async run(lane, work) {
      const before = last.get(lane);
      const result = before === undefined ? work() : afterwards(before, work);
      last.set(lane, result);
      try {
        return await result;
      } finally {
        if (last.get(lane) === result) last.delete(lane);
      }
    },
  };
}

async function afterwards<T>(before: Promise<unknown>, work: () => Promise<T>): Promise<T> {
  await before.catch(() => undefined);
  return work();
}
