import type { FastifyRequest } from 'fastify';

import type { Refusal } from '../errors/api-error.ts';

/** What the server under us refuses by itself, before any code of ours: the request is at fault, not we. */
export function refusalOfProtocol(error: unknown, request: FastifyRequest): Refusal | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  const statusCode: unknown = error instanceof Error ? Reflect.get(error, 'statusCode') : undefined;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return { kind: 'body-too-large', bytesMax: request.routeOptions.bodyLimit };
  }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    const message = error instanceof Error ? error.message : 'The request is not valid HTTP.';
    return { kind: 'malformed-request', message };
  }
  return undefined;
}
