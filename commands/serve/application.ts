import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';

import { createForge, forgeServerOptions } from '#forge/forge.ts';
import type { Ports } from '#forge/ports/ports.ts';
import { serviceAddress } from '#functions/other-services/recognise-service.ts';

import type { Listener } from './listener.ts';
import { operations } from './operations.ts';

/** Both services on one open port: hosts of function URLs belong to functions, all others to the site. */
export async function serveApplication(
  listener: Listener,
  ports: Ports,
  functions: (server: FastifyInstance) => Promise<void>,
  log: FastifyBaseLogger,
): Promise<void> {
  const application = Fastify({
    ...forgeServerOptions,
    rewriteUrl: (request) => serviceAddress(request) ?? forgeServerOptions.rewriteUrl(request),
    trustProxy: [...ports.settings.trustedProxies],
    loggerInstance: log,
    // A logger for each request would slow every request down; entries of failed ones have its `requestId`.
    childLoggerFactory: (logger) => logger,
    // The log is for errors; the proxy has the access log.
    logController: new LogController({ disableRequestLogging: true }),
    // The listener answers for connections, before and after there is an application.
    clientErrorHandler: () => {},
    serverFactory: (handler) => {
      listener.handleWith(handler);
      return listener.server;
    },
  });
  await registerServices(application, ports, functions, () => listener.isStopping);
  await application.ready();
}

export async function registerServices(
  application: FastifyInstance,
  ports: Ports,
  functions: (server: FastifyInstance) => Promise<void>,
  isStopping: () => boolean,
): Promise<void> {
  await application.register(operations(ports, isStopping));
  await application.register(createForge(ports));
  await application.register(functions);
}
