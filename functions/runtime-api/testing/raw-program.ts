import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { RuntimeChannel, DeliveredEvent } from '../runtime-channel.ts';

export interface TestListener {
  readonly path: string;
  close(): Promise<void>;
}

/** Listens on a Unix socket of its own for the programs of a channel. */
export async function listenFor(channel: RuntimeChannel): Promise<TestListener> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-runtime-'));
  const path = join(folder, 'runtime');
  const server = createServer((socket) => channel.accept(socket));
  server.listen(path);
  await once(server, 'listening');
  return {
    path,
    async close() {
      channel.close();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}

export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A program that is nothing but a socket: sends whatever bytes, reads answers one by one. */
export class RawProgram {
  readonly socket: Socket;
  #received = Buffer.alloc(0);

  constructor(path: string) {
    this.socket = connect(path);
    this.socket.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.socket.emit('received');
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => this.socket.emit('received'));
  }

  send(bytes: string | Buffer): this {
    this.socket.write(bytes);
    return this;
  }

  poll(): this {
    return this.send('GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\nHost: x\r\n\r\n');
  }

  post(path: string, body: string, headers = ''): this {
    return this.send(
      `POST /2018-06-01/runtime/${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }

  /** Undefined when the connection was closed instead. */
  async answer(): Promise<RawResponse | undefined> {
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n');
      const [first = '', ...lines] = this.#received
        .toString('utf8', 0, Math.max(end, 0))
        .split('\r\n');
      const headers = new Map(
        lines.map((line) => [
          line.slice(0, line.indexOf(':')).toLowerCase(),
          line.slice(line.indexOf(':') + 2),
        ]),
      );
      const bodyEnd = end + 4 + Number(headers.get('content-length') ?? 0);
      if (end >= 0 && this.#received.length >= bodyEnd) {
        const body = this.#received.toString('utf8', end + 4, bodyEnd);
        this.#received = this.#received.subarray(bodyEnd);
        return { status: Number(first.split(' ')[1]), headers, body };
      }
      if (this.socket.destroyed) return undefined;
      await once(this.socket, 'received');
    }
  }

  /** Sends nothing more and reads what is still answered. */
  async finished(): Promise<RawResponse | undefined> {
    this.socket.end();
    return this.answer();
  }

  async closed(): Promise<void> {
    if (!this.socket.destroyed) await once(this.socket, 'close');
  }
}

export function anEvent(requestId: string, more: Partial<DeliveredEvent> = {}): DeliveredEvent {
  return {
    requestId,
    deadline: 1_700_000_000_000,
    functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:f',
    traceHeader: 'Root=1-2-3',
    payload: Buffer.from('{"a":1}'),
    ...more,
  };
}
