import assert from 'node:assert/strict';
import { createServer } from 'node:http';

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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return Object.assign(receiver, { url: `http://127.0.0.1:${port}/` });
}

function checked(delivery: Received): Received {
  const event = String(delivery.headers['x-github-event']);
  assert.deepEqual(describePayloadMisfit(event, delivery.body), []);
  return delivery;
}
