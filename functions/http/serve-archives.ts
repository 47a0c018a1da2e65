import type { FastifyInstance } from 'fastify';

import { passiveContentHeaders } from '#platform/passive-content.ts';

import type { FunctionPorts } from './function-ports.ts';
import { archivePath, readCodeLocation } from '../code/code-location.ts';

/** Answers the links of `Code.Location` and of a layer's `Content.Location`. */
export function serveArchives(server: FastifyInstance, ports: FunctionPorts): void {
  server.addHook('onRequest', (_request, reply, done) => {
    reply.headers(passiveContentHeaders);
    done();
  });
  server.get<{ Params: { token: string } }>(`${archivePath}:token`, async (request, reply) => {
    const sha256 = readCodeLocation(ports, request.params.token);
    if (sha256 === undefined) {
      return reply.code(403).type('text/plain').send('The URL has expired: request a new one.\n');
    }
    return reply.type('application/zip').send(await ports.code.openArchive(sha256));
  });
}
