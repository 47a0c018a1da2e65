/** The server as functions reach it inside their sandboxes: the same application, on connections that do not arrive at its port. */
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';

import type { SandboxClient, SandboxServer } from '#functions/ports/sandbox-server.ts';
import { createServer } from '#platform/node-http.ts';
import { setFunctionCaller } from '#platform/function-caller.ts';
import { responseWithDocumentedNames } from '#platform/header-names.ts';

import { answerConnectionError } from './connection-errors.ts';
import { Connections, connectionLimits, type ConnectionLimits } from './connections.ts';
import { continueChain } from './continue-chain.ts';
import { serverTimeouts } from './listener.ts';
import { SharingPrograms } from './sharing-programs.ts';
import type { TlsCertificate } from './tls-certificate.ts';

export interface SandboxServerOptions {
  readonly baseUrl: string;
  readonly certificate: TlsCertificate | undefined;
  readonly authority: string | undefined;
  readonly headerNames: readonly string[];
  readonly bytesPerSecondMin: number;
  /** Answers requests as those that arrive at the port are answered. */
  readonly answer: RequestListener;
  /** Those that the listener of the port looks for. */
  readonly sharing?: SharingPrograms;
  /** How long a connection may take for its handshake, and for its first request. */
  readonly openingMilliseconds?: number;
  readonly limits?: Partial<ConnectionLimits & typeof serverTimeouts>;
}

/** Time for the TLS handshake and the first request of a connection from an execution environment to the server. */
const openingMillisecondsDefault = 10_000;

export function createSandboxServer(
  options: SandboxServerOptions,
): SandboxServer & { close(): void } {
  const { certificate, authority, headerNames, bytesPerSecondMin, answer } = options;
  const { sharing = new SharingPrograms() } = options;
  const { openingMilliseconds = openingMillisecondsDefault } = options;
  const isSecure = new URL(options.baseUrl).protocol === 'https:';
  const context = isSecure && certificate ? createSecureContext({ ...certificate }) : undefined;
  const clients = new WeakMap<Socket, SandboxClient>();
  // Each environment has a limit of its own, so the connections of functions do not count against those of others.
  const connections = new Connections({
    ...connectionLimits,
    bytesPerSecondMin,
    ...options.limits,
  });
  const serverOptions = {
    ...serverTimeouts,
    ...options.limits,
    ServerResponse: responseWithDocumentedNames(headerNames),
  };
  const server = createServer(serverOptions, (request, response) => {
    const client = clients.get(request.socket);
    if (!client) throw new Error('A connection has no client.');
    request.socket.setTimeout(0);
    if (!connections.serve(request, response)) return;
    prepare(request, client);
    answer(request, response);
  });
  server.maxRequestsPerSocket = 0;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    answerConnectionError(error, socket, connections.answerOn(socket)),
  );
  connections.guard(server, true);
  // It never listens, and without this event Node checks no deadline of its connections.
  server.emit('listening');

  function serve(socket: Socket, client: SandboxClient): void {
    // Every network namespace has the same loopback addresses.
    Object.defineProperty(socket, 'remoteAddress', { value: client.address });
    clients.set(socket, client);
    server.emit('connection', socket);
    socket.setTimeout(openingMilliseconds);
  }

  return {
    servesBaseUrl: !isSecure || certificate !== undefined,
    authority,
    accept(socket, client) {
      if (!client.atBaseUrl || !context) return serve(socket, client);
      secure(socket, context, openingMilliseconds, (secured) => serve(secured, client));
    },
    recognise: (program) => sharing.add(program),
    close: () => server.close(),
  };
}

function secure(
  socket: Socket,
  secureContext: SecureContext,
  openingMilliseconds: number,
  onSecure: (secured: TLSSocket) => void,
): void {
  const ALPNProtocols = ['http/1.1'];
  const secured = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols });
  const deadline = setTimeout(() => socket.destroy(), openingMilliseconds);
  const destroy = (): unknown => socket.destroy();
  // The client does not trust the certificate, or does not speak TLS.
  secured.on('error', destroy);
  socket.on('error', destroy);
  socket.once('close', () => clearTimeout(deadline));
  secured.once('secure', () => {
    clearTimeout(deadline);
    onSecure(secured);
  });
}

/** What the program says about its origin and its chain of requests is replaced by what is known. */
function prepare(request: IncomingMessage, client: SandboxClient): void {
  const { headers } = request;
  for (const name of Object.keys(headers)) {
    if (name === 'forwarded' || name.startsWith('x-forwarded-')) delete headers[name];
  }
  setFunctionCaller(request, client);
  continueChain(request, client.lineage());
}
