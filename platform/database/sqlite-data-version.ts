import type { DatabaseSync } from 'node:sqlite';

export interface Revision {
  /** Another number after every commit of other connections, of whatever process. */
  readonly now: () => number;
  /** The next question is asked anew. */
  readonly forget: () => void;
}

/**
 * SQLite: age of the answer whether another process has written: asking takes a tenth of the time of a cached response. Other
 * processes that write, which are administration commands, end later than that, so their changes are visible once they have
 * ended.
 */
export const revisionMilliseconds = 5;

/** Asked anew after `revisionMilliseconds`: what other processes commit meanwhile counts as coming after it. */
export function dataVersionOf(connection: DatabaseSync): Revision {
  const dataVersion = connection.prepare('pragma data_version');
  let known = 0;
  let validUntil = 0;
  return {
    now() {
      const now = performance.now();
      if (now < validUntil) return known;
      known = Number(dataVersion.get()?.['data_version']);
      validUntil = now + revisionMilliseconds;
      return known;
    },
    forget() {
      validUntil = 0;
    },
  };
}
