import type { Clock } from '#platform/clock.ts';

import type { HttpResponse } from './http-response.ts';

/** Requests whose last response is known. Beyond it the oldest are forgotten, and get whole responses until they change. */
const requestsMax = 10_000;
/** Characters of a request's key (`requestKey`); nothing is remembered of longer ones, so that the memory is bounded. */
const keyCharactersMax = 1000;

/**
 * From when on only one version of a response has been sent. `Last-Modified` is the date of a resource, and its response shows more: counts,
 * whether a pull can be merged. It also changes more than once in a second. So `If-Modified-Since` is 304 only from this time on.
 */
export interface SentVersions {
  /** What `If-Modified-Since` is compared with; called for each response that is sent, by the key of its request. undefined: the response has no date. */
  datesOf(key: string, response: Dated): Dates | undefined;
}

interface Dated extends Pick<HttpResponse, 'lastModified' | 'isDatedWhole'> {
  readonly tag: string;
}

export interface Dates {
  readonly lastModified: number;
  readonly sentSince: number;
  readonly now: number;
}

interface Sent {
  tag: string;
  since: number;
  last: number;
}

/** With other processes nothing is known of what they sent. */
export function createSentVersions(clock: Clock, isOnlyProcess: boolean): SentVersions {
  const known = new Map<string, Sent>();
  // Requests that are not known got nothing since then.
  let forgotten = clock.now();
  const sentSince = (key: string, tag: string): number => {
    if (!isOnlyProcess || key.length > keyCharactersMax) return Number.POSITIVE_INFINITY;
    const sent = known.get(key);
    if (!sent) {
      known.set(key, { tag, since: forgotten, last: clock.now() });
      forgetBeyondMost();
      return forgotten;
    }
    if (sent.tag !== tag) Object.assign(sent, { tag, since: sent.last + 1 });
    sent.last = Math.max(sent.last, clock.now());
    return sent.since;
  };
  const forgetBeyondMost = (): void => {
    for (const [oldest, sent] of known) {
      if (known.size <= requestsMax) return;
      known.delete(oldest);
      forgotten = Math.max(forgotten, sent.last + 1);
    }
  };
  return {
    datesOf(key, { tag, lastModified, isDatedWhole }) {
      if (lastModified === undefined) return undefined;
      const since = isDatedWhole ? Number.NEGATIVE_INFINITY : sentSince(key, tag);
      return { lastModified, sentSince: since, now: clock.now() };
    },
  };
}
