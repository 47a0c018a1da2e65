import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { onResponseEnd } from '#platform/response-end.ts';

/** Whose request it is: of the REST API, of git clients, of the function service, of function URLs, or another address, mostly pages. */
export type ServiceName = 'forge' | 'git' | 'functions' | 'function-urls' | 'site';

/** What a request is for. Every name is the program's own: none contains what a client sent. */
export interface Route {
  readonly service: ServiceName;
  /** The operation of the API's description, or the pattern of the path. */
  readonly operation: string;
  /** Of its path; undefined for a path where nothing is. */
  readonly pattern: string | undefined;
}

/** A request whose response has ended. */
export interface EndedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** undefined: the client left before the response was complete. */
  readonly status: number | undefined;
  readonly milliseconds: number;
}

export interface RequestObserver {
  /** Called once for each route, so that what only depends on it is not done for each request. */
  ofRoute(route: Route): RouteObserver;
}

export interface RouteObserver {
  began?(request: FastifyRequest): void;
  ended(request: EndedRequest): void;
}

/** Notifies the observers of every request of an application. Without observers, requests cost nothing more. */
export function observeRequests(
  application: FastifyInstance,
  observers: readonly RequestObserver[],
): void {
  if (observers.length === 0) return;
  // The router's object for a route is the same for each of its requests: what it says is read once.
  const known = new WeakMap<object, readonly RouteObserver[]>();
  const observersOf = new Map<Route, readonly RouteObserver[]>();
  const observe = (request: FastifyRequest): readonly RouteObserver[] => {
    const route = routeOf(request);
    const ofRoute = observersOf.get(route) ?? observers.map((observer) => observer.ofRoute(route));
    observersOf.set(route, ofRoute);
    known.set(request.routeOptions.config, ofRoute);
    return ofRoute;
  };
  application.addHook('onRequest', (request, reply, done) => {
    const ofRoute = known.get(request.routeOptions.config) ?? observe(request);
    for (const observer of ofRoute) observer.began?.(request);
    const { raw } = reply;
    onResponseEnd(raw, () => {
      const status = raw.writableFinished ? raw.statusCode : undefined;
      const ended = { request, reply, status, milliseconds: reply.elapsedTime };
      for (const observer of ofRoute) observer.ended(ended);
    });
    done();
  });
}

/** Of a request for a path where nothing is. */
const noRoute: Route = { service: 'site', operation: 'none', pattern: undefined };

export function routeOf({ routeOptions, is404 }: FastifyRequest): Route {
  const { config, url: pattern } = routeOptions;
  if (is404 || pattern === undefined) return noRoute;
  // Operations that only a query distinguishes share a route, which has the name of the first.
  if (config.operation) return { service: 'functions', operation: config.operation.name, pattern };
  if (config.endpoint) {
    return { service: 'forge', operation: config.endpoint.declaration.operation, pattern };
  }
  const service = serviceOf(pattern);
  return { service, operation: pattern, pattern: config.isEmpty === true ? undefined : pattern };
}

function serviceOf(pattern: string): ServiceName {
  if (gitPatterns.test(pattern)) return 'git';
  return pattern.startsWith('/lambda-url/') ? 'function-urls' : 'site';
}

const gitPatterns = /^\/:owner\/:repo\/(?:info\/(?:refs|lfs\/\*)|git-(?:upload|receive)-pack)$/;
