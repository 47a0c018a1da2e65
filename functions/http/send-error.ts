import type { FastifyReply } from 'fastify';

import { errorNames, type ErrorName } from '#functions-contract/error-names.ts';

import type { FunctionsError } from '../errors/functions-error.ts';

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
