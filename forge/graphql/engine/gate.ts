/** Has at most so many pieces of work run at the same time; `check` may refuse each before it begins. */
export function createGate(
  most: number,
  check: () => void,
): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      check();
      return await work();
    } finally {
      const next = waiting.shift();
      // The next one takes over the slot.
      if (next) next();
      else running -= 1;
    }
  };
}
