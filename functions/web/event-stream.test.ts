import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';

import { createEventStreams } from './event-stream.ts';
import type { ServerSentEvent } from './kit/console-context.ts';

test('waiting for a quiet log leaves nothing behind', { timeout: 30_000 }, async (t) => {
  let polls = 0;
  const streams = createEventStreams(() => {
    polls += 1;
    return polls === 6;
  });
  const quiet = new Promise<IteratorResult<ServerSentEvent>>(() => {});
  const asked = t.mock.method(quiet, 'then');
  const events = { [Symbol.asyncIterator]: () => ({ next: () => quiet }) };
  const follower = {
    userId: 1,
    left: new AbortController().signal,
    mayGoOn: async () => true,
  };
  const chunks = await streams.open(follower, () => events).toArray();
  assert.deepEqual(chunks.map(String), [': open\n\n']);
  assert.equal(asked.mock.callCount(), 1);
});

test('events that come at once, and the error after them, are not held up', async () => {
  const streams = createEventStreams(() => false);
  async function* events(): AsyncGenerator<ServerSentEvent> {
    yield { id: '1', data: 'one' };
    yield { id: '2', data: 'two' };
    throw new Error('the log is gone');
  }
  const follower = {
    userId: 1,
    left: new AbortController().signal,
    mayGoOn: async () => true,
  };
  let text = '';
  await assert.rejects(async () => {
    for await (const chunk of streams.open(follower, events)) text += String(chunk);
  }, /the log is gone/);
  assert.equal(text, ': open\n\nid: 1\ndata: one\n\nid: 2\ndata: two\n\n');
});

test('a client that left is not waited for until the next event', { timeout: 30_000 }, async () => {
  const streams = createEventStreams(() => false);
  const quiet = new Promise<IteratorResult<ServerSentEvent>>(() => {});
  let checks = 0;
  const client = new AbortController();
  const body = streams.open(
    {
      userId: 1,
      left: client.signal,
      mayGoOn: async () => {
        checks += 1;
        return true;
      },
    },
    () => ({ [Symbol.asyncIterator]: () => ({ next: () => quiet }) }),
  );
  const closed = once(body, 'close');
  const [first] = await once(body, 'data');
  assert.equal(String(first), ': open\n\n');
  client.abort();
  await closed;
  assert.equal(checks, 0);
});
