import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';

import { describePayloadMisfit } from './webhook-openapi.ts';

export interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into payloads of every shape
  readonly body: any;
}

/** A server that takes deliveries and responds as the test says. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  response: { status: number; headers?: Record<string, string> };
  /** What came since the last call; each payload is held against its published description. */
  take(): Received[];
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const json = text.startsWith('{') ? text : (new URLSearchParams(text).get('payload') ?? '{}');
      received.push({ headers: request.headers, text, body: JSON.parse(json) });
      response.writeHead(receiver.response.status, receiver.response.headers);
      response.end('thanks');
    });
  });
  const receiver: Receiver = {
    url: '',
    received,
    response: { status: 200 },
    take: () => received.splice(0).map(checked),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return Object.assign(receiver, { url: `${await urlOf(server)}/` });
}

/** A server whose responses the test gives when it wants to, or never. */
export interface SlowReceiver {
  readonly url: string;
  /** Called once the body of a request has come. */
  arrived: (path: string, response: ServerResponse) => void;
  /** Ends the connections without a response, too. */
  close(): Promise<void>;
}

export async function startSlowReceiver(): Promise<SlowReceiver> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => receiver.arrived(request.url ?? '', response));
  });
  const receiver: SlowReceiver = {
    url: await urlOf(server),
    arrived() {},
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

async function urlOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  return `http://127.0.0.1:${address.port}`;
}

function checked(delivery: Received): Received {
  const event = String(delivery.headers['x-github-event']);
  assert.deepEqual(describePayloadMisfit(event, delivery.body), []);
  return delivery;
}
