import { isAhead } from '#platform/clock.ts';

const windowMilliseconds = 60_000;
/** Counted pairs of caller and URL; the oldest are dropped first. */
const watchedMax = 20_000;
/** Longer URLs with the same beginning count as one. */
const addressCharactersMax = 300;

/** Limits clients that poll the same URL too often (forge 6.3). */
export interface PollingLimit {
  /** Counts a request; if there were too many in this minute, returns the seconds to wait and counts nothing. */
  ask(caller: string, address: string, now: number): number | undefined;
}

/** Requests per minute of one caller for one URL; 0: unlimited. In memory, like the rate limit. */
export function createPollingLimit(requestsMax: number): PollingLimit {
  const windows = new Map<string, { readonly end: number; used: number }>();
  return {
    ask(caller, address, now) {
      if (requestsMax === 0) return undefined;
      const key = `${caller} ${address.slice(0, addressCharactersMax)}`;
      const known = windows.get(key);
      if (!known || !isAhead(known.end, now, windowMilliseconds)) {
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
