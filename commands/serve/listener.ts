import type { RequestListener, Server, ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { createServer } from '#platform/node-http.ts';
import { responseWithDocumentedNames } from '#platform/header-names.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { onResponseEnd } from '#platform/response-end.ts';

import { answerConnectionError, refuseAndClose } from './connection-errors.ts';
import { connectionLimits, type ConnectionLimits, Connections } from './connections.ts';
import type { TlsCertificate } from './tls-certificate.ts';
import { onlySecure } from './reject-plain-http.ts';
import { checkHead } from './request-head.ts';
import type { SharingPrograms } from './sharing-programs.ts';

export interface Listener {
  readonly server: Server | SecureServer;
  readonly host: string;
  readonly port: number;
  /** From now on requests are answered by this; until then the server says that it is starting. */
  handleWith(handler: RequestListener): void;
  /** Answers a request of another server as those of this one are answered. */
  readonly answer: RequestListener;
  /** True once `close` is called. */
  readonly isStopping: boolean;
  /**
   * Gives the port up in the order that load balancers need: for the delay every request is served while `isStopping` shows
   * them to send no more; then new requests are answered 503 until those under way have ended, or their time has; new
   * connections are refused last.
   */
  close(times: CloseTimes): Promise<void>;
}

export interface CloseTimes {
  readonly delayMilliseconds: number;
  /** How long requests under way may take after the delay. */
  readonly drainMilliseconds: number;
}

export interface ListenOptions {
  readonly certificate?: TlsCertificate | undefined;
  /** Of answers, where they are not known everywhere (platform/header-names.ts). */
  readonly headerNames?: readonly string[];
  /** Functions whose requests continue a chain of requests. */
  readonly sharing?: SharingPrograms;
  readonly limits?: Partial<ConnectionLimits & typeof serverTimeouts>;
}

/**
 * Opens the port before anything else is started: a port in use is reported at once, and the address is known to what is
 * built afterwards.
 */
export async function listen(
  host: string,
  port: number,
  { certificate, headerNames = [], sharing, limits = {} }: ListenOptions = {},
): Promise<Listener> {
  const connections = new Connections({ ...connectionLimits, ...limits });
  const underWay = new RequestsUnderWay();
  let handler: RequestListener = refuseWhileStarting;
  let isStopping = false;
  const answer: RequestListener = (request, response) => {
    underWay.add(response);
    // The client's next request belongs to another server (RFC 9112 section 9.6).
    if (isStopping) response.setHeader('connection', 'close');
    const problem = checkHead(request);
    if (problem === undefined) handler(request, response);
    else refuseAndClose(response, 400, problem);
  };
  const handle: RequestListener = (request, response) => {
    if (!connections.serve(request, response)) return;
    sharing?.prepare(request);
    answer(request, response);
  };
  const options = {
    ...serverTimeouts,
    ...limits,
    ServerResponse: responseWithDocumentedNames(headerNames),
  };
  const server = certificate
    ? onlySecure(createSecureServer({ ...options, ...certificate }, handle))
    : createServer(options, handle);
  server.maxRequestsPerSocket = 0;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    answerConnectionError(error, socket, connections.answerOn(socket)),
  );
  sharing?.guard(server);
  connections.guard(server, certificate === undefined);
  await opened(server, host, port);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not a TCP port');
  return {
    server,
    host,
    port: address.port,
    handleWith(next) {
      handler = next;
    },
    answer,
    get isStopping() {
      return isStopping;
    },
    async close({ delayMilliseconds, drainMilliseconds }) {
      if (!server.listening) return;
      isStopping = true;
      if (delayMilliseconds > 0) await delay(delayMilliseconds);
      handler = refuseWhileStopping;
      const inTime = await underWay.ended(drainMilliseconds);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Connections without a request, and answers whose last bytes have not been taken yet.
      const linger = inTime ? Math.min(lingerMilliseconds, drainMilliseconds) : 0;
      const deadline = setTimeout(() => server.closeAllConnections(), linger);
      await closed;
      clearTimeout(deadline);
    },
  };
}

class RequestsUnderWay {
  #count = 0;
  #onNone: () => void = () => {};

  add(response: ServerResponse): void {
    this.#count += 1;
    onResponseEnd(response, () => {
      this.#count -= 1;
      if (this.#count === 0) this.#onNone();
    });
  }

  /** True when none is under way any more; false when that takes longer than it may. */
  async ended(milliseconds: number): Promise<boolean> {
    if (this.#count === 0) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#onNone = () => resolve(true);
    const deadline = setTimeout(() => resolve(false), milliseconds);
    return promise.finally(() => clearTimeout(deadline));
  }
}

/** Time that a stop waits for connections without a request. */
const lingerMilliseconds = 1000;

/**
 * Time to send the headers of a request, time that a connection without a request stays open (longer than the minute for which
 * proxies hold idle connections for reuse), and time for a TLS handshake. Bodies have no deadline: they are held to a rate
 * (connections.ts).
 */
export const serverTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 0,
  /** Longer than the minute for which proxies hold idle connections for reuse. */
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5000,
  handshakeTimeout: 10_000,
};

function opened(server: Listener['server'], host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(explained(cause, host, port)));
    server.listen(port, host, resolve);
  });
}

function explained(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (cause.code ?? 'unknown') {
    case 'EADDRINUSE':
      return new OperatorError(
        `Port ${port} of ${host} is in use. Stop the program that listens there, or choose another port with --port.`,
        { cause },
      );
    case 'EACCES':
      return new OperatorError(
        `No permission to listen on port ${port}. Choose a port above 1023 with --port.`,
        {
          cause,
        },
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new OperatorError(
        `Cannot listen on ${host}: not an address of this machine. Choose another with --host.`,
        {
          cause,
        },
      );
    default:
      return cause;
  }
}

export const refuseWhileStarting: RequestListener = (_request, response) =>
  answerUnavailable(response, 'Hob is starting. Try again in a moment.');

const refuseWhileStopping: RequestListener = (_request, response) =>
  answerUnavailable(response, 'Hob is stopping. Try again in a moment.');

export function answerUnavailable(response: ServerResponse, message: string): void {
  response.writeHead(503, {
    'content-type': 'application/json; charset=utf-8',
    'retry-after': '1',
  });
  response.end(JSON.stringify({ message }));
}
