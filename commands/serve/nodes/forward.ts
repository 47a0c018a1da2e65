import type { Agent as HttpAgent, ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';

import type { OwnRequest } from '#functions/ports/home-nodes.ts';
import { type FunctionCaller, functionCallerOf } from '#platform/function-caller.ts';
import { currentLineage, inLineageOf } from '#platform/invocation-lineage.ts';
import { Agent, request as httpRequest } from '#platform/node-http.ts';
import { onResponseEnd } from '#platform/response-end.ts';
import { currentSpan, type SpanReference } from '#platform/tracing.ts';

import { nodeHeader, nodeNumber } from './node-header.ts';
import { type Node, NodeUnavailableError } from './nodes.ts';

/** Of a request that one node forwards: what the other cannot see of its client. */
export interface ForwardedClient {
  readonly address: string | undefined;
  /** Whether its connection is TLS. */
  readonly isSecure: boolean;
  /** Set for requests of functions. */
  readonly caller?: FunctionCaller | undefined;
  /** The chain of requests that it continues. */
  readonly lineage?: string | undefined;
  /** What the other node does for it belongs there in a trace. */
  readonly span?: SpanReference | undefined;
}

/** Has a `ForwardedClient` as JSON. What clients send under this name is removed. */
export const clientHeader = 'hob-forwarded-client';

/**
 * Head of a request that a node forwards, or of its response: that of a client plus our own header, because what one node's
 * parser lets pass, the other's must not refuse.
 */
export const headBytesMax = 64 * 1024;

/** Time that a connection to another node stays open without a request; shorter than the other end holds it (listener.ts). */
const idleMilliseconds = 30_000;

/** Connections to one node, to pass requests on. */
export class ForwardAgent {
  readonly #agent: HttpAgent;

  constructor(dial: () => TLSSocket) {
    this.#agent = Object.assign(
      new Agent({ keepAlive: true, maxFreeSockets: 32, timeout: idleMilliseconds }),
      { createConnection: dial },
    );
  }

  /** As `Nodes.forward`. */
  async forward(to: Node, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = httpRequest({
      agent: this.#agent,
      method: request.method,
      path: originalUrl(request),
      headers: headersToSend(request),
      setHost: false,
      maxHeaderSize: headBytesMax,
    });
    onResponseEnd(response, () => {
      if (!response.writableFinished) sent.destroy();
    });
    const incoming = await answered(to, sent, request);
    sendHead(incoming, response, to);
    await piped(incoming, response);
  }

  /** As `Nodes.post`. */
  post(to: Node, { address, headers, body, lineage }: OwnRequest): Promise<IncomingMessage> {
    const isSecure = address.protocol === 'https:';
    const span = currentSpan();
    const client: ForwardedClient = { address: '127.0.0.1', isSecure, lineage, span };
    const sent = httpRequest({
      agent: this.#agent,
      method: 'POST',
      path: `${address.pathname}${address.search}`,
      headers: {
        ...headers,
        'content-length': body.length,
        [clientHeader]: JSON.stringify(client),
      },
      setHost: false,
      maxHeaderSize: headBytesMax,
    });
    return answered(to, sent, Readable.from([body]));
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The framework has its own idea of some addresses. */
function originalUrl(request: IncomingMessage & { readonly originalUrl?: string }): string {
  return request.originalUrl ?? request.url ?? '/';
}

/** Of one connection (RFC 9110, section 7.6.1). */
export const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * As the client sent them, since some are signed, with what this server has replaced or removed. Each name has all its values, in
 * their order.
 */
function headersToSend(request: IncomingMessage): Record<string, string | string[]> {
  const { headers, rawHeaders } = request;
  const sent: Record<string, string | string[]> = {};
  const given = new Map<string, string[]>();
  const names = new Map<string, string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const values = given.get(name.toLowerCase());
    if (values) values.push(rawHeaders[index + 1] ?? '');
    else given.set(name.toLowerCase(), [rawHeaders[index + 1] ?? '']);
    names.set(name.toLowerCase(), name);
  }
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || ofConnection.has(name) || name === clientHeader) continue;
    const values = given.get(name);
    sent[names.get(name) ?? name] = values && values.length > 1 ? values : value;
  }
  if (headers['transfer-encoding'] !== undefined) sent['transfer-encoding'] = 'chunked';
  sent[clientHeader] = JSON.stringify(clientOf(request));
  return sent;
}

function clientOf(request: IncomingMessage): ForwardedClient {
  const { socket } = request;
  return {
    address: socket.remoteAddress,
    isSecure: socket instanceof TLSSocket,
    caller: functionCallerOf(request),
    lineage: inLineageOf(request, currentLineage),
    span: currentSpan(),
  };
}

/**
 * Sends the body while the response is waited for: it may come before the body has ended. Not a pipeline: that would end the client's
 * connection with the other node's, before the client has the answer.
 */
function answered(to: Node, sent: ClientRequest, body: Readable): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => {
      body.unpipe(sent);
      body.resume();
      reject(new NodeUnavailableError(`The node ${to.name} did not answer.`, { cause }));
    };
    sent.once('response', resolve);
    sent.on('error', fail);
    sent.once('close', () => fail(new Error('The connection was closed.')));
    body.pipe(sent);
  });
}

function sendHead(incoming: IncomingMessage, response: ServerResponse, from: Node): void {
  const { rawHeaders, statusCode = 502, statusMessage } = incoming;
  const headers = new Map<string, string[]>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (ofConnection.has(name.toLowerCase())) continue;
    headers.set(name, [...(headers.get(name) ?? []), rawHeaders[index + 1] ?? '']);
  }
  for (const [name, values] of headers) {
    response.setHeader(name, values.length > 1 ? values : (values[0] ?? ''));
  }
  response.setHeader(nodeHeader, nodeNumber(from));
  // The other node has written its own.
  response.sendDate = false;
  if (statusMessage) response.statusMessage = statusMessage;
  response.statusCode = statusCode;
  response.flushHeaders();
}

/** A response that breaks off at the other node breaks off here. */
function piped(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    pipeline(incoming, response, () => resolve());
  });
}
