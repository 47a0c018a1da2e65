import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createTestFunctions } from '../testing/test-functions.ts';

const mebibyte = Buffer.alloc(1024 * 1024, 97);

describe('a streamed response to a caller that does not stream', () => {
  it('is no larger than any other', async (t) => {
    const functions = await createTestFunctions();
    t.after(() => functions.close());
    await functions.create('f');
    let read = 0;
    const left = Promise.withResolvers<void>();
    functions.environments.answer(() => ({
      kind: 'stream',
      body: (async function* () {
        try {
          for (; read < 20; read += 1) yield mebibyte;
        } finally {
          left.resolve();
        }
      })(),
      trailer: Promise.resolve(undefined),
    }));
    const { status, headers, body } = await functions.call('Invoke', { FunctionName: 'f' });
    assert.equal(status, 200);
    assert.equal(headers['x-amz-function-error'], 'Unhandled');
    assert.equal(body.errorType, 'Function.ResponseSizeTooLarge');
    await left.promise;
    assert.equal(read, 6);
  });
});
