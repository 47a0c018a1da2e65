import type { RequestListener } from 'node:http';

import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
} from 'fastify';

import { createForge, forgeServerOptions, proxiesToTrust } from '#forge/forge.ts';
import type { Ports } from '#forge/ports/ports.ts';
import { createSite } from '#forge/web/kit/site.ts';
import { reachesOperation } from '#functions/http/function-access.ts';
import type { FunctionService } from '#functions/start-functions.ts';
import { functionServicePath } from '#functions/other-services/function-service-path.ts';

import { type FunctionCaller, functionCallerOf } from '#platform/function-caller.ts';
import { passiveContentHeaders } from '#platform/passive-content.ts';

import type { Listener } from './listener.ts';
import { observeRequests, type RequestObserver } from './observation/observe-requests.ts';
import type { Tracing } from './observation/tracing.ts';
import { type OperatedParts, operations } from './operations.ts';

/** What serves the function service: its operations, and its pages on the forge's site. */
export type FunctionPlugins = Pick<FunctionService, 'plugin' | 'console'>;

export interface ApplicationOptions {
  /** Wraps the application's request listener, as the test controls do. */
  readonly middleware?: ((next: RequestListener) => RequestListener) | undefined;
  readonly observers?: readonly RequestObserver[];
  readonly tracing?: Tracing | undefined;
  readonly metrics?: ((server: FastifyInstance) => Promise<void>) | undefined;
  readonly parts?: Partial<OperatedParts>;
}

export interface BuiltApplication {
  readonly application: FastifyInstance;
  /** From now on the listener passes it its requests. */
  readonly serve: () => void;
}

/** Both services on one open port: hosts of function URLs belong to functions, all others to the site. */
export async function buildApplication(
  listener: Listener,
  ports: Ports,
  functions: FunctionPlugins,
  log: FastifyBaseLogger,
  { middleware = (next) => next, observers = [], tracing, metrics, parts }: ApplicationOptions = {},
): Promise<BuiltApplication> {
  const { server } = listener;
  let handler: RequestListener | undefined;
  const errorListeners = server.listeners('clientError');
  const application = Fastify({
    ...forgeServerOptions,
    rewriteUrl: (request) => functionServicePath(request) ?? forgeServerOptions.rewriteUrl(request),
    trustProxy: proxiesToTrust(ports.settings),
    loggerInstance: log,
    // A logger for each request would slow every request down; entries of failed ones have its `requestId`.
    childLoggerFactory: (logger) => logger,
    // The log is for errors; access has a log of its own (observation/access-log.ts).
    logController: new LogController({ disableRequestLogging: true }),
    clientErrorHandler: () => {},
    // Plugins are our own. A limit would set a timer for each of hundreds of routes.
    pluginTimeout: 0,
    serverFactory: (own) => {
      handler = tracing ? tracing.wrap(own) : own;
      return listener.server;
    },
  });
  // The listener answers errors of connections itself, also while there is no application: what the framework adds for them is removed.
  for (const added of server.listeners('clientError')) {
    if (!errorListeners.includes(added)) server.off('clientError', added);
  }
  // Before all other hooks: what they refuse is a request as well.
  observeRequests(application, observers);
  tracing?.nameSpans(application);
  if (metrics) await application.register(metrics);
  await registerServices(application, ports, functions, () => listener.isStopping, parts);
  await application.ready();
  return {
    application,
    serve() {
      if (!handler) throw new Error('The application has no handler.');
      listener.handleWith(middleware(handler));
    },
  };
}

/**
 * Functions reach the operations of both services, raw files and git, not the pages, where people sign in, nor what operators' tools ask. Before
 * all other hooks: what is closed must not even look at credentials.
 */
function closeToFunctions(application: FastifyInstance): void {
  application.addHook('onRequest', (request, reply, done) => {
    const caller = functionCallerOf(request.raw);
    if (caller === undefined || isOpen(caller, request)) {
      done();
      return;
    }
    const message =
      'Functions cannot request this address: they reach the REST API, raw files, GraphQL, git and the function service.';
    reply.code(403).headers(passiveContentHeaders).send({ message });
  });
}

function isOpen(caller: FunctionCaller, { routeOptions, is404 }: FastifyRequest): boolean {
  const { operation, endpoint, openToFunctions } = routeOptions.config;
  if (operation !== undefined) return reachesOperation(caller, operation);
  return (
    caller.reach === 'service' && (endpoint !== undefined || openToFunctions === true || is404)
  );
}

export async function registerServices(
  application: FastifyInstance,
  ports: Ports,
  functions: FunctionPlugins,
  isStopping: () => boolean,
  {
    shards = () => [],
    functions: state = { isAvailable: () => true },
    takesRequests = () => true,
  }: Partial<OperatedParts> = {},
): Promise<void> {
  closeToFunctions(application);
  await application.register(
    operations(ports, isStopping, { shards, functions: state, takesRequests }),
  );
  await application.register(createForge(ports));
  await application.register(functions.plugin);
  await application.register(functions.console(createSite(ports, isStopping)));
}
