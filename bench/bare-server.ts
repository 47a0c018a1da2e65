import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * The yardstick: a server that does nothing but write the bytes it was given, with as many headers as Hob sends. With
 * `--relay` it first makes one round trip over a Unix socket to a waiting process, as an invocation must.
 * Reads `{path: {status, body, headers}}` from its standard input and prints its port.
 */
interface Canned {
  readonly status: number;
  readonly body: string;
  readonly headers: Record<string, string>;
}

/** One request at a time to each process, as an environment has it. */
interface Relay {
  roundTrip(event: Buffer): Promise<void>;
  end(): void;
}

const canned: Record<string, Canned> = JSON.parse(await text(process.stdin));
const responses = new Map(
  Object.entries(canned).map(([path, response]) => [
    path,
    { ...response, bytes: Buffer.from(response.body) },
  ]),
);
const idle: Relay[] = [];
const relays: Relay[] = [];

const server = createServer((request, response) => {
  const prepared = responses.get(request.url ?? '');
  if (!prepared) {
    request.resume();
    response.writeHead(404);
    response.end();
    return;
  }
  const respond = (): void => {
    response.writeHead(prepared.status, prepared.headers);
    response.end(prepared.bytes);
  };
  if (!process.argv.includes('--relay')) {
    request.resume();
    respond();
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    relay(Buffer.concat(chunks)).then(respond, (error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => {
  for (const waiting of relays) waiting.end();
  process.exit();
});

async function relay(event: Buffer): Promise<void> {
  const waiting = idle.pop() ?? (await startRelay());
  await waiting.roundTrip(event);
  idle.push(waiting);
}

async function startRelay(): Promise<Relay> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-bench-relay-'));
  const path = join(folder, 'socket');
  const listener = createSocketServer().listen(path);
  await once(listener, 'listening');
  const child: ChildProcess = spawn(
    process.execPath,
    [
      '-e',
      `const s = require('net').connect(process.argv[1]); s.on('data', (d) => s.write(d));`,
      path,
    ],
    { stdio: 'ignore' },
  );
  const [socket] = (await once(listener, 'connection')) as [Socket];
  listener.close();
  await rm(folder, { recursive: true });
  const started: Relay = {
    async roundTrip(event) {
      const back = once(socket, 'data');
      socket.write(event);
      await back;
    },
    end: () => {
      socket.destroy();
      child.kill();
    },
  };
  relays.push(started);
  return started;
}
