import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough, type Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import type { FastifyRequest } from 'fastify';

import { limited, requestBody } from './request-body.ts';

/** Without `events.once`, which would listen to errors. */
const closed = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    stream.on('close', resolve);
  });

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of the request is read
const requestOf = (body: Readable, encoding?: string): FastifyRequest =>
  ({ body, headers: { 'content-encoding': encoding } }) as unknown as FastifyRequest;

describe('a body that fails before it is read', () => {
  for (const encoding of [undefined, 'gzip']) {
    test(`because its client left fails its reader and nothing else (${encoding ?? 'plain'})`, async () => {
      const source = new PassThrough();
      const body = requestBody(requestOf(source, encoding), 'receive-pack');
      source.write(encoding === undefined ? 'some' : gzipSync('some').subarray(0, 12));
      source.destroy();
      await closed(body);
      await assert.rejects(buffer(body), { code: 'ECONNRESET' });
    });
  }

  test('because it is too large fails its reader and nothing else', async () => {
    const source = new PassThrough();
    const body = limited(source, 3);
    source.end('four');
    body.resume();
    await closed(body);
    await assert.rejects(buffer(body), /larger than 3 bytes/);
  });

  test('because it is not gzip fails its reader and nothing else', async () => {
    const source = new PassThrough();
    const body = requestBody(requestOf(source, 'gzip'), 'upload-pack');
    source.end('no gzip');
    await closed(body);
    await assert.rejects(buffer(body), /not valid gzip/);
  });
});

describe('a body that is too large', () => {
  for (const [name, headers] of [
    ['as was announced', 'Content-Length: 5000000000'],
    ['as turns out', 'Transfer-Encoding: chunked'],
  ] as const) {
    test(`is refused with a response that arrives before its connection ends (${name})`, async () => {
      const server = createServer((request, response) => {
        buffer(limited(request, 1_000_000)).catch((error: unknown) => {
          response.writeHead(413).end(String(error));
        });
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
      try {
        client.write(`PUT / HTTP/1.1\r\nHost: hob\r\n${headers}\r\n\r\n`);
        const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
        for (let sent = 0; sent < 4; sent += 1) client.write(chunk);
        // All of it is read: a reset would fail.
        assert.match(await text(client), /^HTTP\/1\.1 413 [^]*larger than 1000000 bytes/);
      } finally {
        client.destroy();
        server.close();
      }
    });
  }
});
