import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import Fastify from 'fastify';

import { FormError } from './form.ts';
import { readUpload, type Upload } from './upload.ts';

const boundary = '----WebKitFormBoundary0123456789abcdef';

/** What the server reads of a body. */
async function readBody(body: string, type = `multipart/form-data; boundary=${boundary}`) {
  const server = Fastify();
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, sent, done) =>
    done(null, sent),
  );
  let upload: Upload | undefined;
  let refused: unknown;
  server.post('/', { bodyLimit: 64 * 1024 * 1024 }, (request) =>
    readUpload(request, 'http://localhost').then(
      (read) => {
        upload = read;
      },
      (error: unknown) => {
        refused = error;
      },
    ),
  );
  await server.inject({ method: 'POST', url: '/', headers: { 'content-type': type }, body });
  await server.close();
  return { upload, refused };
}

const field = (name: string, value: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (name: string, content: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\nContent-Type: text/plain\r\n\r\n${content}\r\n`;
const end = `--${boundary}--\r\n`;

describe('a form with files', () => {
  test('is refused when it is malformed', async () => {
    for (const [body, type] of [
      [field('a', 'b') + end, 'multipart/form-data; boundary='],
      [field('a', 'b') + end, 'multipart/form-data; boundary="a b"'],
      [field('a', 'b') + end, `multipart/form-data; boundary=${boundary}; boundary=x`],
      [`--${boundary}\r\nContent-Disposition: form-data; name="a"`, undefined],
      ['no form', undefined],
    ] as const) {
      const { refused } = await readBody(body, type);
      assert.ok(refused instanceof FormError, body);
      assert.equal(refused.status, 400);
    }
  });

  /** Everything else waits for the parser of the platform: 300,000 files took 23 seconds. */
  for (const [what, body] of [
    ['more files than any form has', file('x', '').repeat(1101)],
    ['more fields than any form has', field('a', '').repeat(1101)],
    ['a header without an end', `--${boundary}\r\n${'a: b\r\n'.repeat(2000)}\r\n`],
    ['a header that is too long', `--${boundary}\r\na: ${'b'.repeat(8192)}\r\n\r\n\r\n`],
  ] as const) {
    test(`is refused with ${what}`, async () => {
      const { refused } = await readBody(body + end);
      assert.ok(refused instanceof FormError);
      assert.match(refused.message, /more than 1100 fields|malformed/);
    });
  }

  test('has its fields and files, whatever is in them', async () => {
    const body = field('a', '1') + field('a', '2') + file('c:\\d\\e.txt', '--\r\n\r\n--');
    for (const type of [undefined, `Multipart/Form-Data;boundary="${boundary}"`]) {
      const { upload, refused } = await readBody(body + file('f', '') + end, type);
      assert.equal(refused, undefined);
      assert.deepEqual(upload?.form.getAll('a'), ['1', '2']);
      const [first, second] = upload?.uploads ?? [];
      assert.equal(first?.name, 'e.txt');
      assert.equal(Buffer.from(first?.content ?? []).toString(), '--\r\n\r\n--');
      assert.equal(second?.content.length, 0);
    }
  });

  test('can have as many files as a commit takes', async () => {
    const { upload } = await readBody(field('token', 'x') + file('f', 'x').repeat(1000) + end);
    assert.equal(upload?.uploads.length, 1000);
  });
});
