import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { VerifiedPasswords } from '../access/verified-passwords.ts';
import type { Ports } from '../ports.ts';
import { createUrls, type Urls } from '../urls.ts';
import { identify } from './authentication.ts';
import { readCallback } from './callback-wrapping.ts';
import type { CrossOriginHeaders } from './cross-origin.ts';
import { parseAccept } from './media-types.ts';
import { budgetOwner, charge, createRateLimiter } from './rate-limit.ts';
import { refuse } from './refusal.ts';
import { pathOf, queryOf, type RequestState } from './request-state.ts';
import { namesItself, userAgentRefusal } from './user-agent.ts';

/** Answers that only tell about the budget are not charged to it (spec, Limits). */
const freePaths: ReadonlySet<string> = new Set(['/rate_limit']);
const credentialParameters = ['access_token', 'client_secret'] as const;

/**
 * The rules that every request of the API meets before its endpoint, outermost first. What comes after the endpoint
 * (entity tags, 304, callback, headers) is send-answer.ts.
 */
export function registerPipeline(
  server: FastifyInstance,
  ports: Ports,
  verified: VerifiedPasswords,
  crossOrigin: CrossOriginHeaders,
): void {
  const limiter = createRateLimiter(ports.settings);
  const addresses = createAddressBook(ports);

  // Filled first, so that even the earliest refusal knows how to present itself.
  server.decorateRequest('forge');
  server.addHook('onRequest', (request, _reply, done) => {
    request.forge = initialState(addresses(request), ports);
    done();
  });
  // Before authentication: a preflight carries no credentials and no name (spec, General request rules 6).
  server.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'OPTIONS') void reply.code(204).headers(crossOrigin.preflight).send();
    else done();
  });
  // At the edge: such requests are not worth a look-up, and are not counted.
  server.addHook('onRequest', (request, reply, done) => {
    if (namesItself(request.headers['user-agent'])) done();
    else void refuseNameless(reply);
  });
  // Two of these mean that somebody between client and server disagrees about them (reliability A11).
  server.addHook('onRequest', (request, _reply, done) => {
    refuseRepeatedHeaders(request);
    done();
  });
  // Never refuses: it says who asks, and whether the credentials were wrong.
  server.addHook('onRequest', async (request) => {
    const state = request.forge;
    const identity = await identify(request.headers.authorization, ports, verified);
    state.caller = identity.caller;
    state.badCredentials = identity.bad;
    state.tokenScopes = identity.tokenScopes;
  });
  // After the caller is known, before its credentials are refused: a wrong password counts as a request.
  server.addHook('onRequest', (request, _reply, done) => {
    const state = request.forge;
    const window = limiter.window(state.caller, request.ip, ports.clock.now());
    state.rate = window;
    if (!freePaths.has(pathOf(request)) && !charge(window)) {
      refuse({
        kind: 'rate-limited',
        who: budgetOwner(state.caller, request.ip),
        anonymous: state.caller.kind === 'anonymous',
      });
    }
    done();
  });
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.forge.badCredentials) refuse({ kind: 'bad-credentials' });
    const query = queryOf(request);
    if (credentialParameters.some((name) => query.has(name))) refuse({ kind: 'query-credentials' });
    done();
  });
  // The form of the answer, once it is known that there will be one.
  server.addHook('onRequest', (request, _reply, done) => {
    request.forge.media = parseAccept(request.headers.accept, ports.settings.vendor);
    request.forge.callback = readCallback(request.method, queryOf(request));
    done();
  });
}

function initialState(address: { baseUrl: string; urls: Urls }, ports: Ports): RequestState {
  return {
    caller: { kind: 'anonymous' },
    badCredentials: false,
    tokenScopes: undefined,
    media: parseAccept(undefined, ports.settings.vendor),
    urls: address.urls,
    baseUrl: address.baseUrl,
    rate: undefined,
    callback: undefined,
  };
}

/** The URLs for the address a client used: the configured one, or a loopback spelling of it. */
function createAddressBook(
  ports: Ports,
): (request: FastifyRequest) => { baseUrl: string; urls: Urls } {
  const { baseUrl, loopbackBaseUrls } = ports.settings;
  const main = { baseUrl, urls: createUrls(baseUrl) };
  const byHost = new Map(
    [...loopbackBaseUrls].map(([host, base]) => [host, { baseUrl: base, urls: createUrls(base) }]),
  );
  return (request) => byHost.get(request.headers.host?.toLowerCase() ?? '') ?? main;
}

function refuseNameless(reply: FastifyReply): FastifyReply {
  return reply
    .code(userAgentRefusal.status)
    .headers({ 'content-type': userAgentRefusal.contentType, connection: 'close' })
    .send(userAgentRefusal.body);
}

function refuseRepeatedHeaders(request: FastifyRequest): void {
  const names = request.raw.rawHeaders.filter((_, index) => index % 2 === 0);
  for (const single of ['authorization', 'host']) {
    if (names.filter((name) => name.toLowerCase() === single).length > 1) {
      refuse({ kind: 'malformed-request', message: `More than one ${single} header was sent.` });
    }
  }
}
