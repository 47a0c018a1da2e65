import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { splitPrelude } from './http-response.ts';

/** A stream of these texts that records whether its reader has stopped. */
function watched(...texts: readonly string[]) {
  const left = texts.map((text) => Buffer.from(text));
  const seen = { stopped: false };
  const stream: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => stream,
    async next() {
      const value = left.shift();
      return value ? { done: false, value } : { done: true, value: undefined };
    },
    async return() {
      seen.stopped = true;
      return { done: true, value: undefined };
    },
  };
  return { stream, seen };
}

describe('the head of a streamed result', () => {
  const head = '{"statusCode":200}\0\0\0\0\0\0\0\0';

  it('tells the function that nobody reads on, before and after the first piece', async () => {
    for (const read of [0, 1]) {
      const { stream, seen } = watched(`${head}first`, 'second');
      const answer = await splitPrelude(stream);
      const pieces = answer?.body[Symbol.asyncIterator]();
      if (read > 0) assert.equal(String((await pieces?.next())?.value), 'first');
      assert.equal(seen.stopped, false);
      await pieces?.return?.();
      assert.equal(seen.stopped, true);
    }
  });

  it('leaves nothing unread behind when it is invalid', async () => {
    const { stream, seen } = watched('{"statusCode":1}\0\0\0\0\0\0\0\0', 'more');
    assert.equal(await splitPrelude(stream), undefined);
    assert.equal(seen.stopped, true);
  });
});
