import type { FastifyReply, FastifyInstance } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';

import { present } from '#platform/present.ts';

import { errorNames, type ErrorName } from '#functions-contract/error-names.ts';
import type { Operation } from '#functions-contract/operation.ts';
import type { Shape } from '#functions-contract/shape.ts';

import { type FunctionsError, refusalOf } from '../errors/functions-error.ts';

/** Sends an operation's answer: each member where the contract says it travels. */
export function sendOutput(
  reply: FastifyReply,
  operation: Operation,
  output: object,
): FastifyReply {
  const body: Record<string, unknown> = {};
  let payload: Uint8Array | Readable | undefined;
  let status = operation.status;
  for (const [name, value] of Object.entries<unknown>(Object(output))) {
    const member = operation.output.members[name];
    if (!member || value === undefined) continue;
    switch (member.location.in) {
      case 'status':
        status = Number(value);
        break;
      case 'header':
        reply.header(member.location.name, value);
        break;
      case 'payload':
        payload = payloadOf(value);
        break;
      case 'body':
      case 'path':
      case 'query':
        body[name] = json(member.shape, value);
    }
  }
  reply.code(status);
  if (hasPayload(operation)) {
    if (!reply.hasHeader('content-type')) reply.type('application/json');
    return reply.send(payload instanceof Uint8Array ? inOneWrite(payload) : (payload ?? ''));
  }
  if (status === 204 || Object.keys(operation.output.members).length === 0) return reply.send();
  return reply.type('application/json').send(JSON.stringify(body));
}

/** As much as is copied at once anyway. */
const fewBytes = 16 * 1024;

/** A text goes out in one piece with the head, bytes are a piece of their own. */
function inOneWrite(payload: Uint8Array): string | Uint8Array {
  if (payload.length > fewBytes || !isUtf8(payload)) return payload;
  return Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString();
}

function payloadOf(value: unknown): Uint8Array | Readable | undefined {
  if (value instanceof Uint8Array) return value;
  return isStream(value) ? Readable.from(value) : undefined;
}

function isStream(value: unknown): value is AsyncIterable<Uint8Array> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function hasPayload({ output }: Operation): boolean {
  return Object.values(output.members).some(({ location }) => location.in === 'payload');
}

/** Blobs are base64 in JSON; everything else is what it is. */
function json(shape: Shape, value: unknown): unknown {
  return shape.type === 'blob' && value instanceof Uint8Array
    ? Buffer.from(value).toString('base64')
    : value;
}

/**
 * Converts anything thrown while a request is processed to its response; internal errors are logged. Messages name the operation of
 * the route, or `usual` where routes belong to none.
 */
export function setErrorHandler(server: FastifyInstance, usual?: Operation): void {
  server.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error, request.routeOptions.config.operation ?? usual);
    if (refusal.code === 'ServiceException') {
      const requestId = reply.getHeader('x-amzn-requestid');
      request.log.error({ err: error, requestId }, 'request to the function service failed');
    }
    // A client that is still sending its body would get a reset, and never read the refusal, unless the rest is read too.
    return sendError(reply.removeHeader('connection'), refusal);
  });
}

/** Sends a refusal. */
export function sendError(reply: FastifyReply, error: FunctionsError): FastifyReply {
  const { status, headers, body } = renderError(error);
  const { 'content-type': type, ...others } = headers;
  return reply.code(status).headers(others).type(type).send(body);
}

interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>> & { readonly 'content-type': string };
  readonly body: string;
}

/** The response of a refusal: the code in a header, where every client looks first, the text in the body as recorded. */
export function renderError(error: FunctionsError): ErrorResponse {
  const name: ErrorName = errorNames[error.code];
  const { reason, withoutFault, withoutMessage, retryAfterSeconds } = error.details;
  return {
    status: error.status,
    headers: {
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      'x-amzn-errortype': error.code,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      ...present({ Reason: reason }),
      ...(name.fault === undefined || withoutFault === true ? {} : { Type: name.fault }),
      [name.text]: withoutMessage === true ? null : error.message,
    }),
  };
}
