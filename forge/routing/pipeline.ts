import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { onResponseEnd } from '#platform/response-end.ts';
import { passiveContentHeaders } from '#platform/passive-content.ts';

import type { Ports } from '../ports/ports.ts';
import type { ResponseCache } from '../http/response-cache.ts';
import { type AbuseLimits, createsContent } from './abuse-limit.ts';
import { type BaseUrl, createBaseUrlResolver } from '../http/base-url.ts';
import type { Authenticate } from '../http/authentication.ts';
import { readCallback, refuseWrongCallback } from '../http/callback-wrapping.ts';
import type { CrossOriginHeaders } from '../http/cross-origin.ts';
import { parseAccept } from '../http/media-types.ts';
import { createPollingLimit } from '../http/polling-limit.ts';
import { rateOwner, type RateLimiter, type RateResource } from '../http/rate-limit.ts';
import { refuse } from '../errors/api-error.ts';
import { pathOf, queryOf, type RequestState } from '../http/request-state.ts';
import { hasUserAgent, userAgentRefusal } from '../http/user-agent.ts';

/** Requests for the state of the rate limit do not count against it (docs/specification/forge.md 6.2). */
const freePaths: ReadonlySet<string> = new Set(['/rate_limit']);
const credentialParameters = ['access_token', 'client_secret'] as const;

/** `Retry-After` of too many concurrent requests, as on GitHub. */
const concurrencyPauseSeconds = 60;

export interface PipelineParts {
  readonly ports: Ports;
  readonly cache: ResponseCache;
  readonly limiter: RateLimiter;
  /** undefined: there are none. */
  readonly limits: AbuseLimits | undefined;
  readonly authenticate: Authenticate;
  readonly crossOrigin: CrossOriginHeaders;
}

/**
 * The checks of every API request before its endpoint, outermost first. http/send-response.ts does what follows the endpoint
 * (entity tags, 304, callback, headers).
 */
export function registerPipeline(server: FastifyInstance, parts: PipelineParts): void {
  const { ports, cache, authenticate, crossOrigin, limiter, limits } = parts;
  const baseUrlOf = createBaseUrlResolver(ports.settings);

  // Initialized first, because even the earliest refusal needs it.
  server.decorateRequest('forge');
  server.addHook('onRequest', (request, _reply, done) => {
    request.forge = initialState(request, baseUrlOf(request.headers.host), ports);
    recordAwaitedBody(request);
    done();
  });
  // With repeated credentials, the caller would depend on which of them is read.
  server.addHook('onRequest', (request, _reply, done) => {
    refuseRepeatedCredentials(request);
    done();
  });
  // Before authentication, which a hit saves: a cached response belongs to one credential and is valid only as long as it.
  server.addHook('onRequest', (request, reply, done) => {
    const answering = cache.serve(request, reply);
    if (typeof answering === 'boolean') {
      if (!answering) done();
      return;
    }
    answering.then(
      (answered) => {
        if (!answered) done();
      },
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    );
  });
  // Before authentication: a preflight has no credentials and no user agent (docs/specification/forge.md 7.1).
  server.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'OPTIONS') reply.code(204).headers(crossOrigin.preflight).send();
    else done();
  });
  // Before any database access; such requests do not count against the rate limit.
  server.addHook('onRequest', (request, reply, done) => {
    if (hasUserAgent(request.headers['user-agent'])) done();
    else refuseNameless(reply);
  });
  // Never refuses: it identifies the caller and records whether the credentials were wrong.
  server.addHook('onRequest', async (request) => {
    const state = request.forge;
    const authentication = await authenticate(request);
    state.caller = authentication.caller;
    state.credentialRefusal = authentication.refusal;
    state.tokenScopes = authentication.tokenScopes;
    state.tokenSha256 = authentication.tokenSha256;
    state.passwordHash = authentication.passwordHash;
    state.tokenClientId = authentication.tokenClientId;
    state.tokenExpiresAt = authentication.tokenExpiresAt;
    state.tokenId = authentication.tokenId;
  });
  // After the caller is known, before its credentials are refused: a wrong password counts as a request.
  server.addHook('onRequest', async (request) => {
    const state = request.forge;
    const cost = freePaths.has(pathOf(request)) ? 0 : 1;
    const resource = resourceOf(request);
    const now = ports.clock.now();
    const counting = limiter.count(state.caller, request.ip, now, cost, resource);
    const { window, allowed } = counting instanceof Promise ? await counting : counting;
    state.rate = window;
    state.overLimit = !allowed;
    state.rateOf = async (other) => {
      const counted = await limiter.count(state.caller, request.ip, now, 0, other);
      return counted.window;
    };
    state.countIn = async (other) => {
      const counted = await limiter.count(state.caller, request.ip, now, 1, other);
      return counted.allowed;
    };
    // GraphQL says it with status 200 (graphql/graphql-routes.ts).
    if (!allowed && resource !== 'graphql') {
      refuse({
        kind: 'rate-limited',
        who: rateOwner(state.caller, request.ip),
        anonymous: state.caller.kind === 'anonymous',
      });
    }
  });
  server.addHook('onRequest', (request, _reply, done) => {
    const { credentialRefusal } = request.forge;
    if (credentialRefusal) refuse(credentialRefusal);
    const query = queryOf(request);
    if (credentialParameters.some((name) => query.has(name))) refuse({ kind: 'query-credentials' });
    done();
  });
  // After the other limits, so that refused requests take no slot.
  if (limits) registerAbuseLimits(server, limits, ports);
  // The format of the response, after all limits.
  server.addHook('onRequest', (request, _reply, done) => {
    const { endpoint } = request.routeOptions.config;
    const sendsFiles = endpoint?.declaration.sendsFiles;
    const accept = sendsFiles === 'always' ? undefined : request.headers.accept;
    request.forge.media = parseAccept(accept, ports.settings.vendor, sendsFiles === 'on request');
    refuseWrongCallback(request);
    done();
  });
}

/** Only users have points of GraphQL; others are refused there. */
function resourceOf({ forge, routeOptions }: FastifyRequest): RateResource {
  const resource = routeOptions.config.endpoint?.declaration.rateResource ?? 'core';
  return resource === 'graphql' && forge.caller.kind !== 'user' ? 'core' : resource;
}

function registerAbuseLimits(
  server: FastifyInstance,
  limits: AbuseLimits,
  { clock, settings, counters }: Ports,
): void {
  const polling = createPollingLimit(settings.pollingLimit, counters);
  // A promise only where servers count together.
  const count = (request: FastifyRequest): number | undefined | Promise<number | undefined> => {
    const { endpoint } = request.routeOptions.config;
    if (request.method === 'GET')
      return polling.ask(callerKey(request), request.raw.url ?? '', clock.now());
    const isByUser = request.forge.caller.kind === 'user';
    if (!isByUser || !endpoint || !createsContent(endpoint.declaration)) return undefined;
    return limits.create(callerKey(request), clock.now());
  };
  const enter = (request: FastifyRequest, reply: FastifyReply, wait: number | undefined): void => {
    if (wait !== undefined) {
      const about = request.method === 'GET' ? 'polling' : 'creation';
      refuse({ kind: 'abuse-limited', about, retryAfterSeconds: wait });
    }
    const leave = limits.enter(callerKey(request));
    if (!leave) {
      refuse({
        kind: 'abuse-limited',
        about: 'concurrency',
        retryAfterSeconds: concurrencyPauseSeconds,
      });
    }
    // In every case: answered, refused, or aborted by the client.
    onResponseEnd(reply.raw, leave);
  };
  server.addHook('onRequest', (request, reply, done) => {
    request.forge.countCreation = () => limits.create(callerKey(request), clock.now());
    const counting = count(request);
    if (counting instanceof Promise) {
      counting
        .then((wait) => enter(request, reply, wait))
        .then(
          () => done(),
          (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
        );
      return;
    }
    enter(request, reply, counting);
    done();
  });
}

function callerKey({ forge, ip }: FastifyRequest): string {
  return forge.rate?.key ?? ip;
}

function initialState(request: FastifyRequest, base: BaseUrl, ports: Ports): RequestState {
  return {
    caller: { kind: 'anonymous' },
    credentialRefusal: undefined,
    tokenScopes: undefined,
    tokenSha256: undefined,
    passwordHash: undefined,
    tokenClientId: undefined,
    tokenExpiresAt: undefined,
    tokenId: undefined,
    media: parseAccept(undefined, ports.settings.vendor),
    urls: base.urls,
    baseUrl: base.baseUrl,
    rate: undefined,
    overLimit: false,
    rateOf: async () => Promise.reject(new Error('the caller is not known yet')),
    countIn: async () => Promise.reject(new Error('the caller is not known yet')),
    // A script sees no other response, so every refusal is wrapped, too.
    callback: readCallback(request),
    bodyAwaited: false,
    countCreation: undefined,
  };
}

/** Node parses a body that comes with its head in the same turn of the event loop, before `setImmediate`. */
function recordAwaitedBody({ method, raw, forge }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  setImmediate(() => {
    forge.bodyAwaited = !raw.complete;
  });
}

function refuseNameless(reply: FastifyReply): FastifyReply {
  return reply
    .code(userAgentRefusal.status)
    .headers({
      ...passiveContentHeaders,
      'content-type': userAgentRefusal.contentType,
      connection: 'close',
    })
    .send(userAgentRefusal.body);
}

/** Checks lengths first, because this runs for every request. commands/serve/request-head.ts refuses repeated Host headers. */
function refuseRepeatedCredentials(request: FastifyRequest): void {
  const { rawHeaders } = request.raw;
  let seen = false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length !== 'authorization'.length || name.toLowerCase() !== 'authorization') continue;
    if (seen) {
      const message = 'More than one Authorization header was sent.';
      refuse({ kind: 'malformed-request', message });
    }
    seen = true;
  }
}
