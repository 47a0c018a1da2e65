import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify';

import { onResponseEnd, responseEndSignal } from '#platform/response-end.ts';

import { transferCaller, type TransferLimiter } from '../http/transfer-limiter.ts';
import type { Endpoint } from './endpoint.ts';
import { decideAccess, endpointRunner, type RunnerParts } from './run-endpoint.ts';

const prefix = '/api/v3';
/** Where an enterprise server takes files. */
const uploadPrefixes = [prefix, '/api/uploads'] as const;

/** Body of a request whose endpoint has no limit of its own. */
const bodyBytesDefault = 1024 * 1024;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The endpoint behind a route, for the documentation URL of its refusals. */
    endpoint?: Endpoint;
  }
}

/**
 * Registers the routes of every endpoint: by name and by id (canonical), below the prefix and at the root; POST for every PATCH and
 * HEAD for every GET (docs/specification/forge.md 1.2). A known path with another method is 404.
 */
export function registerEndpoints(
  server: FastifyInstance,
  endpoints: readonly Endpoint[],
  parts: RunnerParts,
): void {
  const declared = new Set(
    endpoints.map((endpoint) => routeName(endpoint, endpoint.declaration.method)),
  );
  registerAll(
    server,
    endpoints.filter((endpoint) => !isUpload(endpoint)),
    declared,
    parts,
  );
  // A scope of its own, because parsers belong to a scope.
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    registerAll(scope, endpoints.filter(isUpload), declared, parts);
  });
}

function isUpload({ declaration }: Endpoint): boolean {
  return declaration.takesUpload === true;
}

function registerAll(
  server: FastifyInstance,
  endpoints: readonly Endpoint[],
  declared: ReadonlySet<string>,
  parts: RunnerParts,
): void {
  for (const endpoint of endpoints) {
    const handler = endpointRunner(endpoint, parts);
    for (const path of pathsOf(endpoint)) {
      server.route({
        method: methodsOf(endpoint, declared),
        url: path,
        handler,
        bodyLimit: endpoint.declaration.bodyBytesMax ?? bodyBytesDefault,
        ...beforeBody(endpoint, parts),
        config: { endpoint },
        // The framework's HEAD routes set a length on responses that must not have one: 204 and 304.
        exposeHeadRoute: false,
      });
    }
  }
}

/**
 * Decides access before a body is read, and limits the number of large bodies that arrive at once by memory. The decision holds
 * for a body that comes with its head, as those of most clients do. While one is awaited everything may change, so the caller is
 * identified and access decided again (run-endpoint.ts).
 */
function beforeBody(
  endpoint: Endpoint,
  parts: RunnerParts,
): Pick<RouteShorthandOptions, 'onRequest'> {
  if (endpoint.declaration.method === 'GET') return {};
  const { largeBodies, transfers } = parts;
  return {
    async onRequest(request, reply) {
      request.accessDecision = { authorized: await decideAccess(endpoint, request, parts) };
      const limiter = limiterOf(endpoint, request);
      if (!limiter) return;
      const caller = transferCaller(request.forge.caller, request.ip);
      const leave = await limiter.enter(caller, responseEndSignal(reply.raw));
      onResponseEnd(reply.raw, leave);
    },
  };

  function limiterOf(
    { declaration }: Endpoint,
    request: FastifyRequest,
  ): TransferLimiter | undefined {
    if (declaration.takesUpload === true) return transfers;
    return mayBeLarge(endpoint, request) ? largeBodies : undefined;
  }
}

function mayBeLarge({ declaration }: Endpoint, { headers }: FastifyRequest): boolean {
  if (declaration.bodyBytesMax === undefined) return false;
  const length = headers['content-length'];
  return length === undefined || Number(length) > bodyBytesDefault;
}

function pathsOf(endpoint: Endpoint): string[] {
  const { path, paths, takesUpload } = endpoint.declaration;
  if (paths) return [...paths];
  const byName = '/repos/:owner/:repo';
  // The root is another path of the API, and `/repositories/:id` of a repository: what is in one is diverted (http/request-path.ts).
  if (!path.startsWith(byName)) return [prefix + path, path];
  const prefixes = takesUpload === true ? uploadPrefixes : [prefix];
  return prefixes.map((each) => each + path);
}

function methodsOf(endpoint: Endpoint, declared: ReadonlySet<string>): string[] {
  const { method } = endpoint.declaration;
  const standsIn = method === 'PATCH' && !declared.has(routeName(endpoint, 'POST'));
  if (method === 'GET') return ['GET', 'HEAD'];
  return standsIn ? ['PATCH', 'POST'] : [method];
}

function routeName(endpoint: Endpoint, method: string): string {
  return `${method} ${endpoint.declaration.path}`;
}
