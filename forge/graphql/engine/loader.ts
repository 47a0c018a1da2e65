import { inBackground } from '#platform/in-background.ts';

/** Keys that GraphQL reads in one statement; one of SQLite takes 32,766 parameters. */
const keysMax = 1000;

/**
 * Collects the keys that fields ask for in one turn, and loads them together: the number of statements of a connection does
 * not depend on how many items it has. Each key is loaded once per request.
 */
export function createLoader<Key, Value>(
  nameOf: (key: Key) => string | number,
  load: (keys: readonly Key[]) => Promise<(key: Key) => Value>,
): (key: Key) => Promise<Value> {
  const known = new Map<string | number, Promise<Value>>();
  let waiting: { key: Key; resolve: (value: Value) => void; reject: (error: unknown) => void }[] =
    [];
  const run = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    if (batch.length > keysMax) waiting.push(...batch.splice(keysMax));
    if (waiting.length > 0) setImmediate(() => inBackground(run()));
    try {
      const valueOf = await load(batch.map(({ key }) => key));
      for (const { key, resolve } of batch) resolve(valueOf(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  return (key) => {
    const name = nameOf(key);
    const before = known.get(name);
    if (before) return before;
    const value = new Promise<Value>((resolve, reject) => {
      // After all promises that are already resolved: their fields may ask for more keys.
      if (waiting.length === 0) setImmediate(() => inBackground(run()));
      waiting.push({ key, resolve, reject });
    });
    known.set(name, value);
    return value;
  };
}
