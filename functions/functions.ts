import type { FastifyInstance } from 'fastify';

import { serveArchives } from './http/serve-archives.ts';
import { registerOperations } from './http/register-operations.ts';
import { serveOtherServices } from './other-services/serve-other-services.ts';
import type { FunctionPorts } from './http/function-ports.ts';
import { servedOperations } from './routes.ts';
import { serveFunctionUrls } from './function-urls/serve-function-urls.ts';

/** The function service as one Fastify plugin, in a scope of its own. */
export function createFunctions(ports: FunctionPorts): (server: FastifyInstance) => Promise<void> {
  return async (server) => {
    await server.register(async (scope) =>
      registerOperations(scope, servedOperations(ports), ports),
    );
    await server.register(async (scope) => serveArchives(scope, ports));
    await server.register(async (scope) => serveFunctionUrls(scope, ports));
    await server.register(async (scope) => serveOtherServices(scope, ports));
  };
}
