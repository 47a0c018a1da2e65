import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  LogController,
} from 'fastify';

import { systemRandom } from '#platform/random.ts';

import { responseWithDocumentedNames } from '#platform/header-names.ts';

import type { Endpoint } from './routing/endpoint.ts';
import { TokenUses } from './auth/token-use.ts';
import { createAuthenticate } from './http/authentication.ts';
import { crossOriginHeaders } from './http/cross-origin.ts';
import { AccessDecisions } from './routing/authorize-operation.ts';
import { registerPipeline } from './routing/pipeline.ts';
import { addPrefix, divertById, divertMalformedUrl, encodeRefInPath } from './http/request-path.ts';
import { registerRefusals } from './http/error-handler.ts';
import { registerEndpoints } from './routing/register-endpoints.ts';
import { createRateLimiter } from './http/rate-limit.ts';
import { createAbuseLimits, type SharedLimits } from './routing/abuse-limit.ts';
import { createResponseSender } from './http/send-response.ts';
import { createSentVersions } from './http/sent-versions.ts';
import { createPasswordSignIn } from './auth/password-sign-in.ts';
import { gitOverHttp } from './git-http/git-http.ts';
import {
  createGitTransferLimiters,
  createTransferLimiter,
  largeBodyLimits,
  slowPageLimits,
} from './http/transfer-limiter.ts';
import type { Ports } from './ports/ports.ts';
import { createResponseCache } from './http/response-cache.ts';
import { endpoints } from './routes.ts';
import { vendor, vendorHeaderNames } from './json/vendor.ts';
import { rewriteToPage } from './web/kit/page-paths.ts';
import { rewriteGoGet } from './web/pages/go-import.ts';
import type { WebRequest } from './web/kit/web-context.ts';
import { webPages } from './web/web.ts';

/** Memory for cached responses. */
const responseCacheBytesDefault = 64 * 1024 * 1024;

interface RequestLine {
  readonly url?: string | undefined;
  readonly headers?: { readonly accept?: string | undefined };
}

/** Options that the HTTP server needs before the forge is registered on it. */
export const forgeServerOptions = {
  rewriteUrl: (request: RequestLine): string =>
    rewriteToPage(
      rewriteGoGet(divertMalformedUrl(encodeRefInPath(divertById(addPrefix(request.url ?? '/'))))),
      request.headers?.accept,
    ),
  // Users quote the request id in bug reports, so it must be unique across servers and restarts.
  genReqId: () => systemRandom.id(),
  routerOptions: {
    // Disables the router's limit, whose error has another shape; the head of a request is limited to 16 KiB anyway.
    maxParamLength: 1024 * 1024,
    ignoreTrailingSlash: true,
    // The expressions of routes are our own, and a test has the router check them; at each start it would take milliseconds.
    allowUnsafeRegex: true,
    querystringParser: (text: string): URLSearchParams & Record<string, unknown> =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- read back by queryOf() only
      new URLSearchParams(text) as URLSearchParams & Record<string, unknown>,
  },
} satisfies FastifyServerOptions;

/** For the option `trustProxy`. Without proxies it is off: Fastify would parse headers each time that it is asked for an address, to trust none. */
export function proxiesToTrust(settings: {
  readonly trustedProxies: readonly string[];
}): string[] | false {
  return settings.trustedProxies.length > 0 && [...settings.trustedProxies];
}

/** The forge as one Fastify plugin. */
export function createForge(
  ports: Ports,
  responseCacheBytesMax = responseCacheBytesDefault,
): (server: FastifyInstance) => Promise<void> {
  const names = vendor(ports.settings.vendor);
  const crossOrigin = crossOriginHeaders(names);
  const isOnlyProcess = ports.servers === undefined && ports.ownsShardOf === undefined;
  const sentVersions = createSentVersions(ports.clock, isOnlyProcess);
  const sender = createResponseSender(names, crossOrigin, sentVersions);
  const limiter = createRateLimiter(ports.settings, ports.counters);
  const uses = new TokenUses(ports);
  const cache = createResponseCache({
    ...ports,
    limiter,
    uses,
    sentVersions,
    requestIdHeader: `${names.headerPrefix.toLowerCase()}request-id`,
    bytesMax: responseCacheBytesMax,
  });
  const passwords = createPasswordSignIn(ports);
  const decisions = new AccessDecisions(ports.database);
  const authenticate = createAuthenticate(ports, passwords, uses);
  const transfers = createTransferLimiter();
  const largeBodies = createTransferLimiter(largeBodyLimits);
  const slow = createTransferLimiter(slowPageLimits);
  const limits = ports.settings.abuseLimits ? createAbuseLimits(sharedLimits(ports)) : undefined;
  const api = async (server: FastifyInstance): Promise<void> => {
    server.removeAllContentTypeParsers();
    // Any content type is treated as JSON; the bytes are parsed after access is decided.
    server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    registerPipeline(server, {
      ports,
      authenticate,
      crossOrigin,
      cache,
      limiter,
      limits,
    });
    registerRefusals(server, sender);
    registerEndpoints(server, endpoints, {
      ports,
      decisions,
      cache,
      sender,
      transfers,
      slow,
      largeBodies,
    });
  };
  // Separate plugin scopes, because the API's pipeline must not apply to git clients and browsers.
  const pages = webPages(ports, { authenticate, passwords, endpoints, transfers, slow, limits });
  return async (server) => {
    server.addHook('onRequest', (request: WebRequest, reply, done) => {
      const answering = pages.answerUnrouted(request, reply);
      if (answering) answering.catch(done);
      else done();
    });
    await server.register(api);
    const limiters = createGitTransferLimiters();
    await server.register(gitOverHttp(ports, authenticate, limiters));
    const { ssh } = ports;
    if (ssh) {
      // Loaded only where it is on.
      const { createSshServer } = await import('./ssh/ssh-server.ts');
      ssh.serveWith(createSshServer({ ports, limiters, log: server.log }, ssh));
    }
    await server.register(pages.register);
  };
}

function sharedLimits({ counters, servers = () => 1 }: Ports): SharedLimits | undefined {
  return counters && { counters, servers };
}

/** Called for every answered request with its endpoint. */
export type ResponseObserver = (requestId: string, endpoint: Endpoint | undefined) => void;

export interface ForgeServerOptions {
  /** Called with every request (an `IncomingMessage`), before anything looks at it. */
  readonly received?: (request: object) => void;
  readonly observe?: ResponseObserver;
  readonly log?: FastifyBaseLogger;
  /** 0: no response is cached. */
  readonly responseCacheBytesMax?: number;
}

/** A server with only the forge. */
export async function createForgeServer(
  ports: Ports,
  { received, observe, log, responseCacheBytesMax }: ForgeServerOptions = {},
): Promise<FastifyInstance> {
  const headerNames = vendorHeaderNames(vendor(ports.settings.vendor));
  const server: FastifyInstance = Fastify({
    ...forgeServerOptions,
    http: { ServerResponse: responseWithDocumentedNames(headerNames) },
    trustProxy: proxiesToTrust(ports.settings),
    ...(log && {
      loggerInstance: log,
      logController: new LogController({ disableRequestLogging: true }),
    }),
  });
  if (received) {
    server.addHook('onRequest', (request, _reply, done) => {
      received(request.raw);
      done();
    });
  }
  if (observe) {
    server.addHook('onSend', (request, _reply, _payload, done) => {
      observe(request.id, request.routeOptions.config?.endpoint);
      done();
    });
  }
  await server.register(createForge(ports, responseCacheBytesMax));
  await server.ready();
  return server;
}
