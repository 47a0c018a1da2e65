import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { forwardConfigured } from './configured-network.ts';

describe('connections to configured targets', () => {
  let target: Server;
  let forwarder: Server;
  let reached: Socket[] = [];

  beforeEach(async () => {
    target = await listening();
    reached = [];
    target.on('connection', (socket) => {
      reached.push(socket);
      // Tests end them in every way.
      socket.on('error', () => {});
    });
    const forwardTo = `127.0.0.1:${portOf(target)}`;
    // The loopback of this process stands for the one inside.
    const namespace = { listen: () => listening() };
    const targets = [{ name: 'db.test', port: 5432, forwardTo }];
    [forwarder = target] = await forwardConfigured(namespace, targets);
  });
  afterEach(() => {
    for (const socket of reached) socket.destroy();
    forwarder.close();
    target.close();
  });

  const connected = async (): Promise<{ socket: Socket; closed: Promise<void> }> => {
    const socket = connect(portOf(forwarder), '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    const closed = closing(socket);
    await once(socket, 'connect');
    return { socket, closed };
  };

  it('are carried both ways', async () => {
    const { socket } = await connected();
    if (reached.length === 0) await once(target, 'connection');
    const [far] = reached;
    socket.write('question');
    const [asked]: unknown[] = far ? await once(far, 'data') : [];
    assert.equal(String(asked), 'question');
    far?.end('answer');
    const [reported]: unknown[] = await once(socket, 'data');
    assert.equal(String(reported), 'answer');
  });

  it('are closed when nothing is sent on them for 350 seconds', async () => {
    const accepting = once(forwarder, 'connection');
    await connected();
    const [inside]: Socket[] = await accepting;
    assert.equal(inside?.timeout, 350_000);
  });

  it('are at most 256 of an environment at a time', async () => {
    const open = [];
    for (let count = 0; count < 256; count += 1) open.push(await connected());
    await (
      await connected()
    ).closed;
    assert.ok(open.every(({ socket }) => !socket.destroyed));
    while (reached.length < 256) await once(target, 'connection');
    const ended = reached.map(closing);
    for (const { socket } of open) socket.destroy();
    await Promise.all(ended);
    await connected();
    await once(target, 'connection');
  });
});

function closing(socket: Socket): Promise<void> {
  socket.resume();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

async function listening(): Promise<Server> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  return (server.address() as AddressInfo).port;
}
