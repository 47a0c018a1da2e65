import assert from 'node:assert/strict';
import { responseEndSignal } from '#platform/response-end.ts';

import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { describe, test } from 'node:test';

import { GitRefusal } from './from-git-error.ts';
import {
  createTransferLimiter,
  startTransfer,
  transferCaller,
  type TransferCaller,
  type TransferLimits,
} from './transfer-limiter.ts';

const limits: TransferLimits = {
  runningMax: 3,
  runningOfOneMax: 2,
  runningAnonymousMax: 3,
  waitingMax: 3,
  waitingOfOneMax: 2,
  waitingAnonymousMax: 3,
  waitMilliseconds: 60_000,
};
/** Small letters are accounts, others are not signed in. */
const named = (key: string): TransferCaller => ({ key, anonymous: key !== key.toLowerCase() });

const staying = new AbortController().signal;

const refused =
  (status: number) =>
  (error: unknown): boolean =>
    error instanceof GitRefusal && error.status === status && error.retryAfterSeconds === 10;

describe('transfers', () => {
  /** A limiter that notes who was let in, in order. */
  function noted(provided: Partial<TransferLimits> = {}) {
    const limiter = createTransferLimiter({ ...limits, ...provided });
    const started: string[] = [];
    const enter = async (caller: string, gone = staying): Promise<() => void> => {
      const end = await limiter.enter(named(caller), gone);
      started.push(caller);
      return end;
    };
    return { enter, started };
  }

  test('of one caller leave slots to others', async () => {
    const { enter, started } = noted();
    const ends = [await enter('a'), await enter('a')];
    const third = enter('a');
    ends.push(await enter('b'));
    assert.deepEqual(started, ['a', 'a', 'b']);
    ends[0]?.();
    ends.push(await third);
    assert.deepEqual(started, ['a', 'a', 'b', 'a']);
    for (const end of ends) end();
  });

  test('of anonymous callers leave slots to authenticated ones', async () => {
    const { enter, started } = noted({ runningAnonymousMax: 2, waitingAnonymousMax: 1 });
    const ends = [await enter('A'), await enter('B')];
    const waiting = enter('C');
    await assert.rejects(enter('D'), refused(503));
    ends.push(await enter('e'));
    assert.deepEqual(started, ['A', 'B', 'e']);
    ends[2]?.();
    assert.deepEqual(started, ['A', 'B', 'e']);
    ends[0]?.();
    (await waiting)();
    assert.deepEqual(started, ['A', 'B', 'e', 'C']);
    ends[1]?.();
  });

  test('are counted for the network that an address of IPv6 is in, and for an account from anywhere', () => {
    const from = (address: string): string => transferCaller({ kind: 'anonymous' }, address).key;
    assert.equal(from('2001:db8::1'), from('2001:db8::ffff:0:0:2'));
    assert.notEqual(from('2001:db8::1'), from('2001:db8:0:1::1'));
    const application = { kind: 'application', applicationId: 1 } as const;
    assert.deepEqual(transferCaller(application, '::1'), transferCaller(application, '192.0.2.1'));
  });

  test('begin in the order in which they came, past those whose caller has its part', async () => {
    const { enter, started } = noted();
    const [first, second] = [await enter('a'), await enter('a')];
    const third = await enter('b');
    const waiting = [enter('a'), enter('c'), enter('b')];
    third();
    await waiting[1];
    first();
    await waiting[0];
    second();
    await waiting[2];
    assert.deepEqual(started, ['a', 'a', 'b', 'c', 'a', 'b']);
  });

  test('beyond what may wait are refused: of one caller with 429, of all with 503', async () => {
    const { enter } = noted();
    for (const caller of ['a', 'a', 'b']) await enter(caller);
    const gone = new AbortController();
    const waiting = ['a', 'a'].map((caller) => enter(caller, gone.signal));
    await assert.rejects(enter('a'), refused(429));
    waiting.push(enter('b', gone.signal));
    await assert.rejects(enter('c'), refused(503));
    gone.abort();
    for (const one of waiting) await assert.rejects(one, refused(503));
    // The queue is empty again.
    const end = new AbortController();
    const next = enter('c', end.signal);
    end.abort();
    await assert.rejects(next, refused(503));
  });

  test('for which no slot becomes free are refused in the end', async () => {
    const { enter } = noted({ waitMilliseconds: 1 });
    for (const caller of ['a', 'a', 'b']) await enter(caller);
    await assert.rejects(enter('c'), refused(503));
  });

  test('release their slot once, however often they are ended', async () => {
    const { enter, started } = noted({ runningMax: 1 });
    const end = await enter('a');
    const gone = new AbortController();
    const waiting = [enter('b', gone.signal), enter('c', gone.signal)];
    end();
    end();
    await waiting[0];
    gone.abort();
    await assert.rejects(waiting[1] ?? Promise.resolve(), refused(503));
    assert.deepEqual(started, ['a', 'b']);
  });

  test('of a client that has disconnected before hold no slot', async () => {
    const limiter = createTransferLimiter({ ...limits, runningMax: 1, waitingMax: 0 });
    const outcome = Promise.withResolvers<unknown>();
    const server = createServer((_request, response) => {
      response.once('close', () => {
        // What the transfer needs never comes: it is the client's to send.
        const started = startTransfer(
          limiter,
          named('a'),
          responseEndSignal(response),
          () => new Promise(() => {}),
        );
        started.then(outcome.resolve, outcome.resolve);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port }: { port?: number } = Object(server.address());
    try {
      const client = connect(port ?? 0, '127.0.0.1');
      client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n', () => client.destroy());
      assert.ok(refused(503)(await outcome.promise));
      (await limiter.enter(named('a'), staying))();
    } finally {
      server.close();
    }
  });
});
