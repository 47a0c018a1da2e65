import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { describe, test } from 'node:test';

import { onResponseEnd } from './response-end.ts';

describe('the end of a response', () => {
  async function withServer(
    handle: (response: ServerResponse, url: string) => void,
    play: (port: number) => Promise<void>,
  ): Promise<void> {
    const server = createServer((request, response) => handle(response, request.url ?? ''));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port }: Partial<AddressInfo> = Object(server.address());
    try {
      await play(port ?? 0);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  test('is reported to a caller that comes after the client has left', async () => {
    const requested = Promise.withResolvers<void>();
    const reported = Promise.withResolvers<void>();
    await withServer(
      (response) => {
        response.once('close', () => {
          onResponseEnd(response, reported.resolve);
          requested.resolve();
        });
      },
      async (port) => {
        const client = connect(port, '127.0.0.1');
        client.on('error', () => {});
        client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n', () => client.destroy());
        await requested.promise;
        await reported.promise;
      },
    );
  });

  test('is reported for a pipelined response that is never sent', async () => {
    const both = Promise.withResolvers<void>();
    const reported = Promise.withResolvers<void>();
    await withServer(
      (response, url) => {
        // The first is never answered.
        if (url !== '/second') return;
        assert.equal(response.socket, null);
        onResponseEnd(response, reported.resolve);
        both.resolve();
      },
      async (port) => {
        const client = connect(port, '127.0.0.1');
        client.on('error', () => {});
        client.write(
          'GET /first HTTP/1.1\r\nHost: a\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\n\r\n',
        );
        await both.promise;
        client.destroy();
        await reported.promise;
      },
    );
  });

  test('is reported once when a response is complete', async () => {
    let reported = 0;
    const complete = Promise.withResolvers<void>();
    await withServer(
      (response) => {
        onResponseEnd(response, () => {
          reported += 1;
          complete.resolve();
        });
        response.end('done');
      },
      async (port) => {
        await (await fetch(`http://127.0.0.1:${port}/`)).text();
        await complete.promise;
      },
    );
    assert.equal(reported, 1);
  });
});
