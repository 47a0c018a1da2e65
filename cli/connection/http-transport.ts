import type { ClientRequest, IncomingMessage } from 'node:http';
import type { SecureContextOptions } from 'node:tls';

import type { Transport, TransportResponse, TransportRequest } from '../context/cli-context.ts';
import { CliError } from '../context/errors.ts';
import type { ConnectionOptions } from './endpoint.ts';
import { NetworkError, networkProblem } from './network-problem.ts';

// An ES import of node:http reads each of its exports, WebSocket too, which takes a quarter of the client's time.
const http = process.getBuiltinModule('node:http');

type TransportOptions = Pick<
  ConnectionOptions,
  'connectTimeout' | 'readTimeout' | 'verifySsl' | 'caBundle'
>;

/**
 * Requests over the network, a connection each: a command sends one or two, and an open connection would keep it from
 * ending. Redirections are not followed, so credentials reach no host but the one that is configured.
 */
export function httpTransport(options: TransportOptions, bytesMax = answerBytesMax): Transport {
  return async (request) => exchange(await begin(request, options), request, options, bytesMax);
}

/**
 * Response that the client reads. More than any response of the service has: 200 MiB of a streamed response, in the frames of its
 * events.
 */
const answerBytesMax = 256 * 1024 * 1024;

async function begin(request: TransportRequest, options: TransportOptions): Promise<ClientRequest> {
  const { hostname, port, protocol } = new URL(request.url);
  const { byteLength } = request.body;
  const target = {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    method: request.method,
    path: request.url.replace(/^[a-z]+:\/\/[^/]*/, ''),
    headers: {
      ...request.headers,
      ...(byteLength > 0 || bodied.has(request.method)
        ? { 'content-length': String(byteLength) }
        : {}),
    },
  };
  if (protocol === 'http:') return http.request({ ...target, agent: new http.Agent() });
  const https = process.getBuiltinModule('node:https');
  return https.request({ ...target, ...(await trust(options)), agent: new https.Agent() });
}

/** Methods whose requests have a body, though it may be empty. */
const bodied = new Set(['POST', 'PUT', 'PATCH']);

async function trust({
  verifySsl,
  caBundle,
}: TransportOptions): Promise<SecureContextOptions & { readonly rejectUnauthorized: boolean }> {
  if (!verifySsl) return { rejectUnauthorized: false };
  if (caBundle === undefined) return { rejectUnauthorized: true };
  const { readFile } = process.getBuiltinModule('node:fs/promises');
  try {
    return { rejectUnauthorized: true, ca: await readFile(caBundle) };
  } catch {
    throw new NetworkError({ kind: 'tls', detail: '[Errno 2] No such file or directory' });
  }
}

function exchange(
  sent: ClientRequest,
  { body }: TransportRequest,
  { connectTimeout, readTimeout }: TransportOptions,
  bytesMax: number,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    let phase: 'connecting' | 'connected' = 'connecting';
    let isAnswered = false;
    const fail = (error: unknown): void => {
      // An error of the command is final: the same request would do the same again.
      const isFinal = error instanceof CliError;
      reject(isFinal ? error : new NetworkError(networkProblem(error, phase), isAnswered));
      sent.destroy();
    };
    const connecting = timer(connectTimeout, () =>
      fail(new NetworkError({ kind: 'connect-timeout' })),
    );
    sent.on('socket', (socket) => {
      socket.once('connect', () => {
        clearTimeout(connecting);
        phase = 'connected';
        socket.setTimeout(boundedMilliseconds(readTimeout), () =>
          fail(new NetworkError({ kind: 'read-timeout' })),
        );
      });
    });
    sent.on('close', () => clearTimeout(connecting));
    sent.on('error', fail);
    sent.on('response', (response) => {
      isAnswered = (response.statusCode ?? 0) < 300;
      readResponse(response, bytesMax).then(resolve, fail);
    });
    sent.end(body);
  });
}

/** Nothing is armed for 0, which waits for ever. */
function timer(seconds: number, ring: () => void): NodeJS.Timeout | undefined {
  return seconds > 0 ? setTimeout(ring, boundedMilliseconds(seconds)) : undefined;
}

/** For timers: one of Node rings at once for a longer time. */
function boundedMilliseconds(seconds: number): number {
  return Math.min(seconds * 1000, 2 ** 31 - 1);
}

async function readResponse(
  response: IncomingMessage,
  bytesMax: number,
): Promise<TransportResponse> {
  const chunks: Uint8Array[] = [];
  let received = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    received += chunks.at(-1)?.byteLength ?? 0;
    if (received > bytesMax) {
      throw new CliError(255, `The response of the endpoint has more than ${bytesMax} bytes.`);
    }
  }
  const headers = Object.entries(response.headers).map(
    ([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')] as const,
  );
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks),
  };
}
