import { Semaphore } from '#platform/semaphore.ts';

/** Runs at most so many pieces of work at the same time; `check` may refuse each before it begins. */
export function createSlots(
  slots: number,
  check: () => void,
): <T>(work: () => Promise<T>) => Promise<T> {
  const semaphore = new Semaphore(slots);
  return (work) =>
    semaphore.run(async () => {
      check();
      return work();
    });
}
