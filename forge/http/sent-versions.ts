import { createHash } from 'node:crypto';

import type { FastifyRequest } from 'fastify';

import type { Clock } from '#platform/clock.ts';

import type { HttpResponse } from './http-response.ts';
import { wantsPrettyJson } from './user-agent.ts';

/** Requests whose last response is known. Beyond it those that were not repeated for the longest time are forgotten, and get whole responses until they change. */
const requestsMax = 10_000;

/**
 * From when on only one version of a response has been sent. `Last-Modified` is the date of a resource, and its response shows more: counts,
 * whether a pull can be merged. It also changes more than once in a second. So `If-Modified-Since` is 304 only from this time on.
 */
export interface SentVersions {
  /** What `If-Modified-Since` is compared with; called for each response that is sent. undefined: the response has no date. */
  datesOf(request: FastifyRequest, response: Dated): Dates | undefined;
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
  readonly tag: string;
  readonly since: number;
  readonly last: number;
}

/** With other processes nothing is known of what they sent. */
export function createSentVersions(clock: Clock, isOnlyProcess: boolean): SentVersions {
  const known = new Map<string, Sent>();
  // Requests that are not known got nothing since then.
  let forgotten = clock.now();
  const sentSince = (request: FastifyRequest, tag: string): number => {
    if (!isOnlyProcess) return Number.POSITIVE_INFINITY;
    const key = keyOf(request);
    const before = known.get(key);
    known.delete(key);
    const last = Math.max(clock.now(), before?.last ?? 0);
    const since = sinceOf(before, tag) ?? forgotten;
    known.set(key, { tag, since, last });
    for (const [oldest, sent] of known) {
      if (known.size <= requestsMax) break;
      known.delete(oldest);
      forgotten = Math.max(forgotten, sent.last + 1);
    }
    return since;
  };
  return {
    datesOf(request, { tag, lastModified, isDatedWhole }) {
      if (lastModified === undefined) return undefined;
      const since = isDatedWhole ? lastModified : sentSince(request, tag);
      return { lastModified, sentSince: since, now: clock.now() };
    },
  };
}

/** undefined: nothing was sent. */
function sinceOf(before: Sent | undefined, tag: string): number | undefined {
  return before?.tag === tag ? before.since : before && before.last + 1;
}

/** What decides a response. A request whose response is cached is not authenticated: only its headers are known. */
function keyOf(request: FastifyRequest): string {
  const { accept, authorization, cookie, host } = request.headers;
  const { url } = request.raw;
  const parts = [url, host, authorization, cookie, accept, wantsPrettyJson(request)];
  return createHash('sha256').update(parts.join('\n')).digest('base64');
}
