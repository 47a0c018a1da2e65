import type { FastifyInstance, FastifyReply } from 'fastify';

import { errorNames, type ErrorName } from '#functions-contract/error-names.ts';

import type { FunctionsError } from '../errors/functions-error.ts';
import { refusalOf } from '../errors/to-service-error.ts';

/** Converts anything thrown while a request is processed to its response; internal errors are logged. */
export function setErrorHandler(server: FastifyInstance): void {
  server.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error, request.routeOptions.config.operation);
    if (refusal.code === 'ServiceException') {
      request.log.error({ err: error }, 'request to the function service failed');
    }
    // A client that is still sending its body would get a reset, and never read the refusal, unless the rest is read too.
    return sendError(reply.removeHeader('connection'), refusal);
  });
}

/** Sends a refusal: the code in a header, where every client looks first, the text in the body as recorded. */
export function sendError(reply: FastifyReply, error: FunctionsError): FastifyReply {
  const name: ErrorName = errorNames[error.code];
  const { reason, withoutFault, withoutMessage, retryAfterSeconds } = error.details;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  return reply
    .code(error.status)
    .header('x-amzn-errortype', error.code)
    .type('application/json')
    .send(
      JSON.stringify({
        ...(reason === undefined ? {} : { Reason: reason }),
        ...(name.fault === undefined || withoutFault === true ? {} : { Type: name.fault }),
        [name.text]: withoutMessage === true ? null : error.message,
      }),
    );
}
