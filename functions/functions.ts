import type { FastifyInstance } from 'fastify';

import { openToFunctions } from '#platform/function-caller.ts';
import { passiveContentHeaders } from '#platform/passive-content.ts';

import { codeArchivesPath, readCodeLocation } from './code/code-location.ts';
import { serveFunctionUrls } from './function-urls/serve-function-urls.ts';
import { BodyBudget } from './http/body-budget.ts';
import type { FunctionPorts } from './http/call.ts';
import { registerOperations } from './http/register-operations.ts';
import { serveOtherServices } from './other-services/serve-other-services.ts';
import type { Site } from '#web/site.ts';

import { operationHandlers } from './routes.ts';
import { registerConsole } from './web/web.ts';

/** The function service as one Fastify plugin, in a scope of its own. */
export function createFunctions(
  ports: FunctionPorts,
  bodies = new BodyBudget(),
): (server: FastifyInstance) => Promise<void> {
  return async (server) => {
    await server.register(async (scope) =>
      registerOperations(scope, operationHandlers(ports), ports, bodies),
    );
    await server.register(async (scope) => serveArchives(scope, ports));
    await server.register(async (scope) => serveFunctionUrls(scope, ports, bodies));
    await server.register(async (scope) => serveOtherServices(scope, ports));
  };
}

/** The pages of the function service as another plugin: they are part of a site, which knows who is signed in. */
export function createConsole(
  ports: FunctionPorts,
  site: Site,
  bodies = new BodyBudget(),
): (server: FastifyInstance) => Promise<void> {
  return async (server) => registerConsole(server, ports, operationHandlers(ports), bodies, site);
}

/** Answers the links of `Code.Location` and of a layer's `Content.Location`. */
function serveArchives(server: FastifyInstance, ports: FunctionPorts): void {
  server.addHook('onRequest', (_request, reply, done) => {
    reply.headers(passiveContentHeaders);
    done();
  });
  const options = { config: openToFunctions };
  server.get<{ Params: { token: string } }>(
    `${codeArchivesPath}:token`,
    options,
    async (request, reply) => {
      const sha256 = readCodeLocation(ports, request.params.token);
      if (sha256 === undefined) {
        return reply.code(403).type('text/plain').send('The URL has expired: request a new one.\n');
      }
      return reply.type('application/zip').send(await ports.code.openArchive(sha256));
    },
  );
}
