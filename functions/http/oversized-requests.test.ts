import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';

import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

describe('requests that are too large', () => {
  let functions: TestFunctions;
  let port: number;
  before(async () => {
    functions = await createTestFunctions();
    port = Number(new URL(await functions.listen()).port);
  });
  after(() => functions.close());

  const locations = [
    {
      what: 'of an operation',
      method: 'PUT',
      path: '/2015-03-31/functions/any/configuration',
      size: 6000,
      refusal: /Request must be smaller than 5120 bytes/,
    },
    {
      what: 'of an operation without a limit of its own',
      method: 'POST',
      path: '/2015-03-31/functions/any/aliases',
      size: 2 * 2 ** 20,
      refusal: /Request must be smaller than 1048576 bytes for the CreateAlias operation/,
    },
    {
      what: 'of the address of a function',
      method: 'POST',
      path: `/lambda-url/${'a'.repeat(32)}/`,
      size: 7 * 2 ** 20,
      refusal: /Request must be smaller than 6291456 bytes/,
    },
  ];

  for (const { what, method, path, size, refusal } of locations) {
    it(`${what} are refused on a connection that stays, so that a client that still sends reads the refusal`, async () => {
      const socket = connect(port, '127.0.0.1').setEncoding('utf8');
      try {
        let answers = '';
        socket.on('data', (text: string) => (answers += text));
        const answered = async (status: number) => {
          while (!answers.includes(`HTTP/1.1 ${status} `)) await once(socket, 'data');
        };
        socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`);
        socket.write('x'.repeat(size / 2));
        await answered(413);
        assert.match(answers, refusal);
        assert.doesNotMatch(answers, /^connection: close/im);
        socket.write('x'.repeat(size / 2));
        socket.write('GET /2015-03-31/functions/any/configuration HTTP/1.1\r\nHost: x\r\n\r\n');
        await answered(404);
      } finally {
        socket.destroy();
      }
    });
  }
});
