import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';

import { within } from './within.ts';

/** Connects, writes, and says so in shared memory. */
const program = `
  const { workerData } = require('node:worker_threads');
  const socket = require('node:net').connect(workerData.port, '127.0.0.1');
  socket.write('in time', () => {
    Atomics.store(workerData.written, 0, 1);
    Atomics.notify(workerData.written, 0);
  });
  socket.on('error', () => {});
  socket.resume();
`;

describe('a deadline', () => {
  it('ends a wait', async () => {
    assert.equal(await within(1, new Promise(() => {})), undefined);
  });

  it('takes what a program sent while this process stood still', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address);
    const written = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(program, { eval: true, workerData: { port: address.port, written } });
    await once(worker, 'online');
    let connection: Socket | undefined;
    const read = once(server, 'connection').then(async ([socket]) => {
      connection = socket;
      return String(await once(socket, 'data'));
    });
    try {
      const result = within(1, read);
      Atomics.wait(written, 0, 0, 10_000);
      assert.equal(await result, 'in time');
    } finally {
      connection?.destroy();
      server.close();
      await worker.terminate();
    }
  });

  it('gives a program once more the time in which this process stood still', async () => {
    const asked = Promise.withResolvers<void>();
    const answer = asked.promise.then(() => {
      const reply = Promise.withResolvers<string>();
      setTimeout(() => reply.resolve('in time'), 20);
      return reply.promise;
    });
    const result = within(1, answer);
    const stopped = new Int32Array(new SharedArrayBuffer(4));
    Atomics.wait(stopped, 0, 0, 500);
    asked.resolve();
    assert.equal(await result, 'in time');
  });

  it('passes a failure on', async () => {
    await assert.rejects(within(1000, Promise.reject(new Error('It failed.'))), /It failed/);
  });
});
