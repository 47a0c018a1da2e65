import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

import { readReply } from '../redis/redis-replies.ts';

export interface CountingServer {
  readonly url: URL;
  /** The arguments of every command so far. */
  readonly commands: readonly (readonly string[])[];
  /** Breaks off all connections. */
  breakOff(): void;
  /** Takes commands and says nothing from now on. */
  fallSilent(): void;
  /** Answers everything with this error from now on; undefined: no more. */
  refuseWith(error: string | undefined): void;
  close(): Promise<void>;
}

/** Speaks as much of the protocol of Redis as counters need, where no real one is installed. */
export async function startCountingServer(): Promise<CountingServer> {
  const sockets = new Set<Socket>();
  const sums = new Map<string, number>();
  const commands: string[][] = [];
  let silent = false;
  let refusal: string | undefined;
  const response = (command: readonly string[]): string => {
    if (refusal !== undefined) return `-${refusal}\r\n`;
    if (command[0] !== 'EVAL') return '+OK\r\n';
    const [, , , key = '', amount, life] = command;
    const sum = (sums.get(key) ?? 0) + Number(amount);
    sums.set(key, sum);
    return `*2\r\n:${sum}\r\n:${life}\r\n`;
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      for (let found = readReply(received); found; found = readReply(received)) {
        received = received.subarray(found.end);
        const command = Array.isArray(found.reply) ? found.reply.map(String) : [];
        commands.push(command);
        if (!silent) socket.write(response(command));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`redis://hob:secret@127.0.0.1:${port}/3`),
    commands,
    breakOff() {
      for (const socket of sockets) socket.destroy();
    },
    fallSilent() {
      silent = true;
    },
    refuseWith(error) {
      refusal = error;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
