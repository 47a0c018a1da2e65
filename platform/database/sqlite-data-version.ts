import type { DatabaseSync } from 'node:sqlite';

export interface Revision {
  /** Another number after every commit of other connections, of whatever process. */
  readonly now: () => number;
  /** The next question is asked anew. */
  readonly forget: () => void;
}

/** Asked once in a turn of the event loop: what other processes commit meanwhile counts as coming after it. */
export function revisionSeenBy(connection: DatabaseSync): Revision {
  const dataVersion = connection.prepare('pragma data_version');
  let known: number | undefined;
  const forget = (): void => {
    known = undefined;
  };
  return {
    now() {
      if (known !== undefined) return known;
      setImmediate(forget);
      known = Number(dataVersion.get()?.['data_version']);
      return known;
    },
    forget,
  };
}
