import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { httpResponse, splitPrelude } from './http-response.ts';

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

describe('a result with many values', () => {
  const many = `[${'{},'.repeat(600_000)}{}]`;
  const textOf = (result: string): unknown => {
    const response = httpResponse(Buffer.from(result));
    return response && [response.status, response.headers, String(response.body) === many];
  };
  const type = { 'content-type': 'application/json' };

  it('is sent as it was written, without its values being made', () => {
    assert.deepEqual(textOf(many), [200, type, true]);
    const body = `{"headers":{"X-A":"b"},"statusCode":201,"body":${many}}`;
    assert.deepEqual(textOf(body), [201, { ...type, 'x-a': 'b' }, true]);
    const other = `{"values":${many}}`;
    assert.equal(String(httpResponse(Buffer.from(other))?.body), other);
    const text = `{"statusCode":200,"more":${many},"body":"YQ==","isBase64Encoded":true}`;
    assert.equal(String(httpResponse(Buffer.from(text))?.body), 'a');
  });

  it('is no response if it is not JSON, or its head has many values', () => {
    for (const result of [
      many.slice(1),
      `{"statusCode":200,"headers":${many}}`,
      `{"statusCode":${many}}`,
    ])
      assert.equal(httpResponse(Buffer.from(result)), undefined);
  });
});
