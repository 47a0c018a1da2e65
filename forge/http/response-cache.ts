import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Sql } from '#platform/database/database.ts';

import type { TokenUses } from '../auth/token-use.ts';
import type { Caller } from '../model/caller.ts';
import { acceptedEncoding, type Encoding } from '#platform/content-encoding.ts';
import { entityHeaders, isUnchanged } from './conditional-request.ts';
import { wantsPrettyJson, hasUserAgent } from './user-agent.ts';
import { type RateLimiter, type RateWindow, rateHeaders, refund } from './rate-limit.ts';
import type { Ports } from '../ports/ports.ts';
import { cacheGeneration } from '../events/generation-store.ts';
import type { HttpResponse } from './http-response.ts';
import type { Dates, SentVersions } from './sent-versions.ts';

/** Determines how long a cached response is valid; read before the response is computed. */
export interface CacheValidity {
  readonly networkId: number;
  readonly tokenSha256: string | undefined;
  readonly generation: string;
  readonly tokenId: number | undefined;
  readonly tokenExpiresAt: number | undefined;
}

interface CachedResponse extends CacheValidity {
  /** The database revision that the generation was last compared at. */
  comparedAt: number | undefined;
  /** Each hit counts against the rate limit of the caller. */
  readonly caller: Caller;
  readonly body: Buffer;
  readonly encoding: Encoding | undefined;
  readonly tag: string;
  readonly lastModified: number | undefined;
  readonly isDatedWhole: true | undefined;
  /** Name, value, name, value; without those that each response has its own of: request id, rate limit, entity, status. */
  readonly headers: readonly string[];
}

export interface ResponseCache {
  /** Sends the cached response to a request if a valid one exists; returns whether it did. */
  serve(request: FastifyRequest, reply: FastifyReply): boolean | Promise<boolean>;
  /** Stores the response to a request, unless it is one that cannot be cached. */
  store(
    request: FastifyRequest,
    validity: CacheValidity,
    rendered: HttpResponse,
    headers: Readonly<Record<string, string>>,
  ): void;
}

export interface ResponseCacheParts {
  readonly database: Ports['database'];
  readonly clock: Ports['clock'];
  readonly limiter: RateLimiter;
  readonly uses: TokenUses;
  readonly cacheCounts?: Ports['cacheCounts'];
  readonly sentVersions: SentVersions;
  readonly requestIdHeader: string;
  readonly bytesMax: number;
}

/**
 * Complete responses to GET requests. Two requests with the same cache key get the same response while its cache generation
 * is current: every write that a response could show advances the generation in its own transaction (events/invalidate.ts).
 */
export function createResponseCache(parts: ResponseCacheParts): ResponseCache {
  const { database, clock, limiter } = parts;
  const responses = createStore(parts.bytesMax);
  const counts = parts.cacheCounts ?? { hits: 0, misses: 0 };

  async function isValid(key: string, response: CachedResponse): Promise<boolean> {
    // Read before the generation, so that a commit in between yields a different revision.
    const dataVersion = database.dataVersion();
    const { networkId, tokenSha256 } = response;
    const generation = await database.readOne((sql) =>
      cacheGeneration(sql, networkId, tokenSha256),
    );
    if (generation !== response.generation) {
      responses.drop(key);
      return false;
    }
    response.comparedAt = dataVersion;
    return true;
  }

  function isValidAsCompared({ comparedAt }: CachedResponse): boolean {
    return comparedAt !== undefined && comparedAt === database.dataVersion();
  }

  async function sendChecked(
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    response: CachedResponse,
  ): Promise<boolean> {
    return (await isValid(key, response)) && sendCounted(request, reply, key, response);
  }

  function sendCounted(
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    response: CachedResponse,
  ): boolean | Promise<boolean> {
    const counting = limiter.count(response.caller, request.ip, clock.now(), 1);
    const send = (counted: { window: RateWindow; allowed: boolean }): boolean => {
      if (counted.allowed) {
        counts.hits += 1;
        if (response.tokenId !== undefined) parts.uses.record(response.tokenId);
        const ownHeaders = [parts.requestIdHeader, request.id];
        sendCached(request, reply, response, {
          ownHeaders,
          window: counted.window,
          dates: parts.sentVersions.datesOf(key, response),
        });
      }
      return counted.allowed;
    };
    return counting instanceof Promise ? counting.then(send) : send(counting);
  }

  return {
    serve(request, reply) {
      const key = cacheKey(request);
      const response = key === undefined ? undefined : responses.find(key);
      if (key === undefined || !response) return false;
      const { tokenExpiresAt } = response;
      if (tokenExpiresAt !== undefined && tokenExpiresAt <= clock.now()) {
        responses.drop(key);
        return false;
      }
      return isValidAsCompared(response)
        ? sendCounted(request, reply, key, response)
        : sendChecked(request, reply, key, response);
    },
    store(request, validity, rendered, headers) {
      const { status, body, encoding, tag, lastModified, isDatedWhole } = rendered;
      const key = cacheKey(request);
      if (key === undefined || status !== 200 || !body || tag === undefined) return;
      const response: CachedResponse = {
        ...validity,
        comparedAt: undefined,
        caller: request.forge.caller,
        body,
        encoding,
        tag,
        lastModified,
        isDatedWhole,
        headers: Object.entries(headers).flat(),
      };
      responses.put(key, response);
      counts.misses += 1;
    },
  };
}

/** Everything in a request that determines its response. undefined: not cached. */
function cacheKey(request: FastifyRequest): string | undefined {
  const { headers, method } = request;
  if (method !== 'GET' || !hasUserAgent(headers['user-agent'])) return undefined;
  // A JSONP response contains the rate limit. A time zone must be stored for the caller.
  if (request.forge.callback !== undefined) return undefined;
  if (headers['time-zone'] !== undefined) return undefined;
  return requestKey(request);
}

/** Everything in a request for an address that determines its response, but a callback and a time zone. */
export function requestKey(request: FastifyRequest): string {
  const { host, authorization, accept, 'accept-encoding': encodings } = request.headers;
  const encoding = acceptedEncoding(encodings);
  return `${request.raw.url}\n${encoding}\n${host}\n${authorization}\n${accept}\n${wantsPrettyJson(request)}`;
}

interface CachedSending {
  readonly ownHeaders: readonly string[];
  readonly window: RateWindow;
  readonly dates: Dates | undefined;
}

function sendCached(
  request: FastifyRequest,
  reply: FastifyReply,
  response: CachedResponse,
  { ownHeaders, window, dates }: CachedSending,
): void {
  const unchanged = isUnchanged(request.headers, response.tag, dates);
  if (unchanged) refund(window);
  const encoding = unchanged ? undefined : response.encoding;
  const headers = [
    ...response.headers,
    ...ownHeaders,
    ...rateHeaders(window),
    ...Object.entries(entityHeaders(response.tag, encoding)).flat(),
    'status',
    unchanged ? '304 Not Modified' : '200 OK',
  ];
  // Bypasses the framework, whose overhead would be as large as the rest of a cache hit.
  reply.hijack();
  if (unchanged) {
    reply.raw.writeHead(304, headers);
    reply.raw.end();
  } else {
    headers.push('content-length', String(response.body.length));
    reply.raw.writeHead(200, headers);
    reply.raw.end(response.body);
  }
}

/** undefined for callers whose responses are not cached: a cache hit would not check whether a password is locked out. */
export async function readValidity(
  sql: Sql,
  { forge: { caller, tokenSha256, tokenId, tokenExpiresAt } }: FastifyRequest,
  networkId: number,
): Promise<CacheValidity | undefined> {
  if (caller.kind !== 'anonymous' && tokenSha256 === undefined) return undefined;
  const generation = await cacheGeneration(sql, networkId, tokenSha256);
  return generation === undefined
    ? undefined
    : { networkId, tokenSha256, generation, tokenId, tokenExpiresAt };
}

interface Store {
  find(key: string): CachedResponse | undefined;
  put(key: string, response: CachedResponse): void;
  drop(key: string): void;
}

/** Memory for the fixed part of an entry: headers, map overhead. */
const entryOverheadBytes = 1500;

/** Stores bodies as buffers, outside of the JavaScript heap; limited in bytes, evicting the least recently used. */
function createStore(bytesMax: number): Store {
  const responses = new Map<string, CachedResponse>();
  let bytes = 0;
  const sizeOf = (key: string, response: CachedResponse): number =>
    response.body.length + key.length + entryOverheadBytes;
  const drop = (key: string): void => {
    const response = responses.get(key);
    if (!response) return;
    responses.delete(key);
    bytes -= sizeOf(key, response);
  };
  return {
    find(key) {
      const response = responses.get(key);
      if (!response) return undefined;
      // Put last, so that the first is always the least recently used.
      responses.delete(key);
      responses.set(key, response);
      return response;
    },
    put(key, response) {
      drop(key);
      if (sizeOf(key, response) > bytesMax / 8) return;
      responses.set(key, response);
      bytes += sizeOf(key, response);
      for (const oldest of responses.keys()) {
        if (bytes <= bytesMax) break;
        drop(oldest);
      }
    },
    drop,
  };
}
