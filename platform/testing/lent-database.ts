import type { Database } from '../database/database.ts';

/**
 * A database for one test, of connections that outlive it. Once closed it refuses work as a closed one does. `onClose` is then called
 * with whether all its work has ended.
 */
export function lend(
  database: Database,
  onClose: (hasEnded: boolean) => Promise<void>,
  endMilliseconds = 20_000,
): Database {
  const working = new Set<Promise<unknown>>();
  const listening = new Set<() => void>();
  let closing: Promise<void> | undefined;

  async function whileOpen<T>(work: () => Promise<T>): Promise<T> {
    if (closing) throw new Error('The database is closed.');
    const running = work();
    working.add(running);
    try {
      return await running;
    } finally {
      working.delete(running);
    }
  }

  async function close(): Promise<void> {
    for (const stop of listening) stop();
    await onClose(await haveEnded(working, endMilliseconds));
  }

  return {
    engine: database.engine,
    read: (work) => whileOpen(() => database.read(work)),
    readOne: (work) => whileOpen(() => database.readOne(work)),
    write: (work, options) => whileOpen(() => database.write(work, options)),
    listen(channel, listener) {
      const stop = database.listen(channel, listener);
      listening.add(stop);
      return () => {
        listening.delete(stop);
        stop();
      };
    },
    dataVersion: () => database.dataVersion(),
    retries: () => database.retries(),
    close: () => (closing ??= close()),
  };
}

async function haveEnded(
  working: ReadonlySet<Promise<unknown>>,
  milliseconds: number,
): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), milliseconds);
  const ended = Promise.allSettled(working).then(() => true);
  try {
    return await Promise.race([ended, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
