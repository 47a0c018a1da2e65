import { createHash } from 'node:crypto';

import { isAhead } from '#platform/clock.ts';
import type { SharedCounters } from '#platform/shared-counters.ts';

import { countInWindows } from './shared-windows.ts';

/** Window in which requests of one caller for one URL are counted (`HOB_POLLING_LIMIT`). */
const windowMilliseconds = 60_000;
/** Pairs of caller and URL that are counted; the oldest are dropped first. */
const watchedMax = 20_000;
/** Characters of a URL that count; longer URLs with the same beginning count as one. */
const urlCharactersMax = 300;

/** Limits clients that poll the same URL too often (docs/specification/forge.md 6.3). */
export interface PollingLimit {
  /**
   * Counts a request; if there were too many in this minute, returns the seconds to wait and counts nothing. At once, unless processes
   * count together.
   */
  ask(
    caller: string,
    address: string,
    now: number,
  ): number | undefined | Promise<number | undefined>;
}

/** Requests per minute of one caller for one URL; 0: unlimited. In memory, like the rate limit, or shared between processes. */
export function createPollingLimit(requestsMax: number, counters?: SharedCounters): PollingLimit {
  const alone = createPollingWindows(requestsMax);
  return {
    ask(caller, address, now) {
      if (requestsMax === 0) return undefined;
      const counted = address.slice(0, urlCharactersMax);
      if (!counters) return alone(caller, counted, now);
      return askTogether(counters, { caller, address: counted, requestsMax }, () =>
        alone(caller, counted, now),
      );
    },
  };
}

/** The address is hashed: its query may have secrets. */
async function askTogether(
  counters: SharedCounters,
  { caller, address, requestsMax }: { caller: string; address: string; requestsMax: number },
  askAlone: () => number | undefined,
): Promise<number | undefined> {
  const digest = createHash('sha256').update(address).digest('base64url').slice(0, 22);
  const counted = await countInWindows(counters, [
    { key: `polling ${digest} ${caller}`, milliseconds: windowMilliseconds, max: requestsMax },
  ]);
  return counted ? counted.waitSeconds : askAlone();
}

function createPollingWindows(
  requestsMax: number,
): (caller: string, address: string, now: number) => number | undefined {
  const windows = new Map<string, { readonly end: number; used: number }>();
  return (caller, address, now) => {
    const key = `${caller} ${address}`;
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
  };
}

function forgetOldest(windows: Map<string, unknown>): void {
  const oldest = windows.keys().next();
  if (!oldest.done) windows.delete(oldest.value);
}
