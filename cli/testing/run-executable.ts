import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';

import type { TransportResponse } from '../context/cli-context.ts';
import type { ClientRun, SentRequest } from './run-client.ts';

export interface ExecutableEnvironment {
  /** The folder that it runs in, which is its home too. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly answer: (request: SentRequest, count: number) => TransportResponse;
}

/** Runs a client that was built, as a shell would, with a service on a port that answers as configured. */
export async function runExecutable(
  executable: string,
  args: readonly string[],
  { directory, environment, answer }: ExecutableEnvironment,
): Promise<ClientRun> {
  const requests: SentRequest[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const sent = sentRequest(request, body);
      requests.push(sent);
      const { status, headers, body: answered } = answer(sent, requests.length);
      response.writeHead(status, headers).end(answered);
    });
  });
  const AWS_ENDPOINT_URL = await addressOf(server);
  try {
    const child = spawn(executable, args, {
      cwd: directory,
      env: { HOME: directory, PATH: process.env['PATH'], AWS_ENDPOINT_URL, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, [exitCode]] = await Promise.all([
      buffer(child.stdout),
      buffer(child.stderr),
      once(child, 'close'),
    ]);
    return { exitCode, stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8'), requests };
  } finally {
    server.close();
  }
}

async function addressOf(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the service has no port');
  return `http://127.0.0.1:${address.port}`;
}

function sentRequest(
  { method = '', url: path = '', headers }: IncomingMessage,
  body: Buffer,
): SentRequest {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return { method, path, headers: Object.fromEntries(texts), body: body.toString('utf8') };
}
