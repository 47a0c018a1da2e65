const windowMilliseconds = 60_000;
/** Callers and addresses watched; those first asked for the longest ago are forgotten. */
const watchedMax = 20_000;
/** Of an address; longer ones that begin alike are one. */
const addressCharactersMax = 300;

/** Slows down who asks for the same thing again and again in place of waiting (spec, Limits: "aggressive polling"). */
export interface PollingLimit {
  /** Counts a request; the seconds to wait when there were too many in this minute, and then counts nothing. */
  ask(caller: string, address: string, now: number): number | undefined;
}

/** So many requests a minute of one caller for one address; 0: any number. In memory, as the budgets are. */
export function createPollingLimit(requestsMax: number): PollingLimit {
  const windows = new Map<string, { readonly end: number; used: number }>();
  return {
    ask(caller, address, now) {
      if (requestsMax === 0) return undefined;
      const key = `${caller} ${address.slice(0, addressCharactersMax)}`;
      const known = windows.get(key);
      if (!known || known.end <= now) {
        windows.delete(key);
        windows.set(key, { end: now + windowMilliseconds, used: 1 });
        if (windows.size > watchedMax) forgetOldest(windows);
        return undefined;
      }
      if (known.used >= requestsMax) return Math.ceil((known.end - now) / 1000);
      known.used += 1;
      return undefined;
    },
  };
}

function forgetOldest(windows: Map<string, unknown>): void {
  const oldest = windows.keys().next();
  if (!oldest.done) windows.delete(oldest.value);
}
