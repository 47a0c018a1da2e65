import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { onResponseEnd } from '#platform/response-end.ts';

/** Whose request it is: of the REST API, of git clients, of the function service, of function URLs, or another address, mostly pages. */
export type ServiceName = 'forge' | 'git' | 'functions' | 'function-urls' | 'site';

/** What a request is for. Every name is the program's own: none contains what a client sent. */
export interface Route {
  readonly service: ServiceName;
  /** The operation of the API's description, or the pattern of the path. */
  readonly operation: string;
  /** Of its path; undefined for an address where nothing is. */
  readonly pattern: string | undefined;
}

/** A request whose response has ended. */
export interface EndedRequest {
  readonly route: Route;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** undefined: the client left before the response was complete. */
  readonly status: number | undefined;
  readonly milliseconds: number;
}

export interface RequestObserver {
  began?(route: Route): void;
  ended(request: EndedRequest): void;
}

/** Notifies the observers of every request of an application. Without observers, requests cost nothing more. */
export function observeRequests(
  application: FastifyInstance,
  observers: readonly RequestObserver[],
): void {
  if (observers.length === 0) return;
  // The router's object for a route is the same for each of its requests: what it says is read once.
  const routes = new WeakMap<object, Route>();
  application.addHook('onRequest', (request, reply, done) => {
    const { config } = request.routeOptions;
    let route = routes.get(config);
    if (!route) {
      route = routeOf(request);
      routes.set(config, route);
    }
    const known = route;
    for (const observer of observers) observer.began?.(known);
    const { raw } = reply;
    onResponseEnd(raw, () => {
      const status = raw.writableFinished ? raw.statusCode : undefined;
      const milliseconds = reply.elapsedTime;
      const ended = { route: known, request, reply, status, milliseconds };
      for (const observer of observers) observer.ended(ended);
    });
    done();
  });
}

/** Of a request for an address where nothing is. */
const noRoute: Route = { service: 'site', operation: 'none', pattern: undefined };

function routeOf({ routeOptions, is404 }: FastifyRequest): Route {
  const { config, url: pattern } = routeOptions;
  if (is404 || pattern === undefined) return noRoute;
  // Operations that only a query distinguishes share a route, which has the name of the first.
  if (config.operation) return { service: 'functions', operation: config.operation.name, pattern };
  if (config.endpoint) {
    return { service: 'forge', operation: config.endpoint.declaration.operation, pattern };
  }
  return { service: serviceOf(pattern), operation: pattern, pattern };
}

function serviceOf(pattern: string): ServiceName {
  if (gitPatterns.test(pattern)) return 'git';
  return pattern.startsWith('/lambda-url/') ? 'function-urls' : 'site';
}

const gitPatterns = /^\/:owner\/:repo\/(?:info\/(?:refs|lfs\/\*)|git-(?:upload|receive)-pack)$/;
