import type { FastifyInstance } from 'fastify';

import { refusalOf } from '../errors/to-service-error.ts';
import { sendError } from './send-error.ts';

/** Whatever is thrown while a request of this scope is worked on becomes its answer; faults of our own are logged. */
export function answerRefusals(server: FastifyInstance): void {
  server.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error, request.routeOptions.config.operation);
    if (refusal.code === 'ServiceException') {
      request.log.error({ err: error }, 'request to the function service failed');
    }
    // Whoever still sends a body meets a broken connection, and never reads the refusal, unless the rest is read as well.
    return sendError(reply.removeHeader('connection'), refusal);
  });
}
