import assert from 'node:assert/strict';
import { PassThrough, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
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
