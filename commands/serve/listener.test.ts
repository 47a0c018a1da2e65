import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { get, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';

import { listen } from './listener.ts';

describe('a port that is given up', () => {
  it('ends what does not end in time', async () => {
    const listener = await listen('127.0.0.1', 0);
    const started = new Promise<void>((resolve) => listener.handleWith(() => resolve()));
    const sent = get(`http://127.0.0.1:${listener.port}/`);
    const ended = once(sent, 'response').catch((error: unknown) => error);
    await started;
    await listener.close({ delayMilliseconds: 0, drainMilliseconds: 20 });
    assert.equal(Object(await ended).code, 'ECONNRESET');
  });
});

describe('a connection that is reset before it is accepted', () => {
  it('has no request', async () => {
    const listener = await listen('127.0.0.1', 0);
    const paths: (string | undefined)[] = [];
    listener.handleWith((request, response) => {
      paths.push(request.url);
      response.end();
    });
    const reset = `const { connect } = require('node:net');
      const socket = connect(${listener.port}, '127.0.0.1', () =>
        socket.write('GET /reset HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n', () => socket.resetAndDestroy()));`;
    try {
      // Nothing is accepted while this process waits for another.
      for (let count = 0; count < 3; count += 1) execFileSync(process.execPath, ['-e', reset]);
      const answered = get(`http://127.0.0.1:${listener.port}/next`);
      const [response] = await once(answered, 'response');
      response.resume();
      assert.deepEqual(paths, ['/next']);
    } finally {
      await listener.close({ delayMilliseconds: 0, drainMilliseconds: 0 });
    }
  });
});

describe('requests that are sent before the responses to earlier ones', () => {
  const head = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n';

  it('are answered in order up to a limit, and the connection ends', async () => {
    const listener = await listen('127.0.0.1', 0);
    const responses: ServerResponse[] = [];
    listener.handleWith((_request, response) => {
      responses.push(response);
      // The last ones first: all are known, and none is sent before the first.
      if (responses.length === 5) {
        for (const [index, each] of [...responses.entries()].toReversed()) each.end(`<${index}>`);
      }
    });
    try {
      const socket = connect(listener.port, '127.0.0.1');
      socket.write(head.repeat(1000));
      const received = await text(socket);
      assert.deepEqual(received.match(/<\d>/g), ['<0>', '<1>', '<2>', '<3>', '<4>']);
      assert.equal(responses.length, 5);
      assert.deepEqual(received.match(/^connection: close/gim)?.length, 1);
    } finally {
      await listener.close({ delayMilliseconds: 0, drainMilliseconds: 0 });
    }
  });

  it('do not end a connection whose client waits for each response', async () => {
    const listener = await listen('127.0.0.1', 0);
    listener.handleWith((_request, response) => response.end('<>'));
    let socket: Socket | undefined;
    try {
      socket = connect(listener.port, '127.0.0.1');
      for (let number = 0; number < 50; number += 1) {
        socket.write(head);
        const [bytes] = await once(socket, 'data');
        assert.match(String(bytes), /^HTTP\/1\.1 200 /);
      }
    } finally {
      socket?.destroy();
      await listener.close({ delayMilliseconds: 0, drainMilliseconds: 0 });
    }
  });
});
