import { setTimeout as delay } from 'node:timers/promises';

import { ArchivesUnavailableError } from './archive-faults.ts';

/** Time for the folder of `HOB_CODE` to answer; then the store is unavailable. */
export const answerMillisecondsDefault = 5000;

/**
 * Asks a file system whether it is there, and waits for a limited time. Where the server of a mount is gone, a call never ends and holds a thread of
 * this process; a few of them would hold up all other files, passwords and names of hosts. So there is one call at a time, and all that wait get its answer.
 */
export function answersInTime<T>(
  path: string,
  ask: () => Promise<T>,
  milliseconds = answerMillisecondsDefault,
): () => Promise<T> {
  let asking: Promise<{ readonly answer: T }> | undefined;
  return async () => {
    asking ??= ask()
      .then((answer) => ({ answer }))
      .finally(() => (asking = undefined));
    const enough = new AbortController();
    const late = delay(milliseconds, undefined, { signal: enough.signal }).catch(() => {});
    const result = await Promise.race([asking, late]).finally(() => enough.abort());
    if (result) return result.answer;
    throw new ArchivesUnavailableError(
      new Error(`${path} did not answer within ${milliseconds} ms. Does its mount hang?`),
    );
  };
}
