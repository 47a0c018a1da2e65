import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';

import Type from 'typebox';

import { setForwarded } from '#platform/forwarded-request.ts';
import { setFunctionCaller } from '#platform/function-caller.ts';
import { responseWithDocumentedNames } from '#platform/header-names.ts';
import { setRequestLineage } from '#platform/invocation-lineage.ts';
import { createServer } from '#platform/node-http.ts';
import { SchemaCheck } from '#platform/schema-check.ts';

import { refuseAndClose } from '../connection-errors.ts';
import { serverTimeouts } from '../listener.ts';
import { clientHeader, type ForwardedClient, headBytesMax } from './forward.ts';

/** Serves requests that other nodes forward, as if their clients were connected to this one. */
export interface PassedRequests {
  accept(socket: Socket): void;
  close(): void;
}

export function serveForwardedRequests(
  answer: RequestListener,
  headerNames: readonly string[],
): PassedRequests {
  const server = createServer(
    {
      ...serverTimeouts,
      maxHeaderSize: headBytesMax,
      // A request of HTTP/1.0 needs none, and is forwarded with 1.1. The other node has refused all others.
      requireHostHeader: false,
      ServerResponse: responseWithDocumentedNames(headerNames),
    },
    (request, response) => {
      if (restoreClient(request)) answer(request, response);
      else refuseAndClose(response, 400, 'The request lacks its client.');
    },
  );
  server.maxRequestsPerSocket = 0;
  // One more than the other node read; its bytes are limited.
  server.maxHeadersCount = 0;
  server.on('clientError', (_error, socket) => socket.destroy());
  // It never listens, and without this event Node checks no deadline of its connections.
  server.emit('listening');
  return {
    accept: (socket) => server.emit('connection', socket),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** One request at a time is on a connection between nodes, so that its address can be that of the client. */
function restoreClient(request: IncomingMessage): boolean {
  const { headers, rawHeaders, socket } = request;
  const client = readClient(headers[clientHeader]);
  if (!client) return false;
  const { address, isSecure, caller, lineage, span } = client;
  delete headers[clientHeader];
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2) {
    if (rawHeaders[index]?.toLowerCase() === clientHeader) rawHeaders.splice(index, 2);
  }
  Object.defineProperty(socket, 'remoteAddress', { value: address, configurable: true });
  // What shows the scheme of a request.
  Object.defineProperty(socket, 'encrypted', { value: isSecure, configurable: true });
  setForwarded(request, span);
  if (caller) setFunctionCaller(request, caller);
  if (lineage !== undefined) setRequestLineage(request, lineage);
  return true;
}

const clientCheck = new SchemaCheck(
  Type.Object({
    address: Type.Optional(Type.String()),
    isSecure: Type.Boolean(),
    caller: Type.Optional(
      Type.Object({
        functionArn: Type.String(),
        reach: Type.Union([Type.Literal('service'), Type.Literal('durable-executions')]),
      }),
    ),
    lineage: Type.Optional(Type.String()),
    span: Type.Optional(
      Type.Object({
        traceId: Type.String({ pattern: '^[0-9a-f]{32}$' }),
        spanId: Type.String({ pattern: '^[0-9a-f]{16}$' }),
        sampled: Type.Boolean(),
      }),
    ),
  }),
);

/** Undefined also where a node of another version has written it in another way. */
function readClient(text: string | string[] | undefined): ForwardedClient | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const client: unknown = JSON.parse(text);
    return clientCheck.accepts(client) ? { address: undefined, ...client } : undefined;
  } catch {
    return undefined;
  }
}
