import { setImmediate } from 'node:timers/promises';

/** Time for which one caller holds up everything else that the process does; one item may take longer. */
const turnMilliseconds = 10;

let last: Promise<unknown> = Promise.resolve();

/** Resolves in a turn of the event loop that no other caller gets. */
export function ownTurn(): Promise<unknown> {
  last = last.then(() => setImmediate());
  return last;
}

/** Does what needs the processor for each item, in their order. The process does everything else in between. */
export async function inTurns<T, R>(items: Iterable<T>, work: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  let began = performance.now();
  for (const item of items) {
    if (performance.now() - began > turnMilliseconds) {
      await ownTurn();
      began = performance.now();
    }
    results.push(work(item));
  }
  return results;
}
