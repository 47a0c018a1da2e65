import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, describe, test } from 'node:test';

import {
  array,
  assert as assertProperty,
  asyncProperty,
  constantFrom,
  oneof,
  uint8Array,
} from 'fast-check';
import { createRuntimeChannel } from './create-runtime-channel.ts';
import type { RuntimeChannelOptions } from './create-runtime-channel.ts';
import type { RuntimeResponse, RuntimeChannel } from './runtime-channel.ts';
import { anEvent, listenFor, RawProgram } from './testing/raw-program.ts';
import type { TestListener } from './testing/raw-program.ts';

describe('the channel to a program', () => {
  let channel: RuntimeChannel;
  let listener: TestListener | undefined;
  let programs: RawProgram[] = [];

  async function open(options: RuntimeChannelOptions = {}): Promise<RawProgram> {
    channel = createRuntimeChannel(options);
    listener = await listenFor(channel);
    return another();
  }

  function another(): RawProgram {
    const program = new RawProgram(listener?.path ?? '');
    programs.push(program);
    return program;
  }

  /** A program that works on one event. */
  async function working(
    requestId = 'one',
  ): Promise<{ program: RawProgram; answer: Promise<RuntimeResponse> }> {
    const program = await open();
    const answer = channel.exchange(anEvent(requestId));
    program.poll();
    assert.equal((await program.answer())?.status, 200);
    return { program, answer };
  }

  afterEach(async () => {
    for (const program of programs) program.socket.destroy();
    programs = [];
    await listener?.close();
    listener = undefined;
  });

  test('ends the connection of a request that makes it fail, and no other', async () => {
    const program = await open({
      otherCalls: {
        request() {
          throw new Error('A request of a test makes this fail.');
        },
        handedOut() {},
        connectionClosed() {},
      },
    });
    const other = another();
    const closed = once(program.socket, 'close');
    program.send(Buffer.from('GET /2020-01-01/other HTTP/1.1\r\n\r\n'));
    await closed;
    const answer = channel.exchange(anEvent('one'));
    other.poll();
    assert.equal((await other.answer())?.status, 200);
    channel.close();
    await answer;
  });

  test('does not prepare more answers than it would send to a program that reads none', async () => {
    const program = await open();
    let answers = 0;
    const payload = Buffer.alloc(2 ** 20);
    const event = Object.defineProperty({ ...anEvent('one') }, 'payload', {
      get() {
        answers += 1;
        return payload;
      },
    });
    const answer = channel.exchange(event);
    program.poll();
    // In one piece: all of them are read before anything can be sent.
    program.send('GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\n\r\n'.repeat(1000));
    await program.closed();
    channel.close();
    assert.equal((await answer).kind, 'gone');
    assert.ok(answers < 200, String(answers));
  });

  test('does not hold more answers for a program that reads none on several connections', async () => {
    let answered = Promise.withResolvers<void>();
    const payload = Buffer.alloc(6 * 2 ** 20);
    const event = Object.defineProperty(anEvent('one', { payload }), 'deadline', {
      get() {
        answered.resolve();
        return 0;
      },
    });
    const first = await open();
    const answer = channel.exchange(event);
    const last = another();
    for (const program of [first, another(), last]) {
      answered = Promise.withResolvers();
      program.socket.pause();
      program.poll();
      await answered.promise;
    }
    last.socket.resume();
    assert.equal(await last.answer(), undefined);
    first.socket.resume();
    assert.equal((await first.answer())?.status, 200);
    channel.close();
    await answer;
  });

  describe('refuses', () => {
    const malformed: [string, string][] = [
      ['another version of HTTP', 'GET /2018-06-01/runtime/invocation/next HTTP/1.0\r\n\r\n'],
      ['a header without a colon', 'GET /x HTTP/1.1\r\nHost\r\n\r\n'],
      ['a space before the colon', 'GET /x HTTP/1.1\r\nHost : x\r\n\r\n'],
      ['a folded header', 'GET /x HTTP/1.1\r\nA: b\r\n c\r\n\r\n'],
      ['a bare line feed', 'GET /x HTTP/1.1\r\nA: b\nC: d\r\n\r\n'],
      ['a negative length', 'POST /x HTTP/1.1\r\nContent-Length: -1\r\n\r\n'],
      ['a length that is no number', 'POST /x HTTP/1.1\r\nContent-Length: 1e3\r\n\r\n'],
      ['two lengths', 'POST /x HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n'],
      [
        'a length and chunks',
        'POST /x HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      ],
      ['an unknown coding', 'POST /x HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n'],
      ['a target that is no path', 'GET http://x/y HTTP/1.1\r\n\r\n'],
      ['something else than HTTP', '\x16\x03\x01\x02\r\n\r\n'],
    ];
    for (const [what, bytes] of malformed) {
      test(what, async () => {
        const program = await open();
        const answer = await program.send(bytes).answer();
        assert.equal(answer?.status, 400);
        assert.equal(JSON.parse(answer?.body ?? '').errorType, 'MalformedRequest');
        await program.closed();
      });
    }

    test('a chunk whose size is none, and a body that breaks off', async () => {
      const program = await open();
      const chunked =
        'POST /2018-06-01/runtime/init/error HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n';
      program.send(`${chunked}xyz\r\n`);
      assert.match((await program.answer())?.body ?? '', /TruncatedHTTPRequest/);
      await program.closed();
      const broken = another().send('POST /x HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc');
      assert.match((await broken.finished())?.body ?? '', /TruncatedHTTPRequest/);
    });

    test('a head without end', async () => {
      const program = await open();
      program.send(`GET /x HTTP/1.1\r\nA: ${'x'.repeat(1_100_000)}`);
      assert.equal((await program.answer())?.status, 431);
    });

    test('calls that do not exist, and other methods', async () => {
      const program = await open();
      program
        .post('invocation/one/other', '')
        .post('invocation/next', '')
        .post('restore/error', '');
      assert.equal((await program.answer())?.status, 404);
      assert.equal((await program.answer())?.status, 405);
      assert.equal((await program.answer())?.status, 404);
    });

    test('answers to events that it did not hand out', async () => {
      const { program, answer } = await working();
      program.post('invocation/other/response', '"forged"').post('invocation/other/error', '{}');
      for (const _ of [1, 2]) {
        const refused = await program.answer();
        assert.equal(refused?.status, 400);
        assert.equal(
          refused?.body,
          '{"errorMessage":"Invalid request ID","errorType":"InvalidRequestID"}',
        );
      }
      program.post('invocation/one/response', '"true"');
      assert.equal(textOf(await answer), '"true"');
    });

    test('a second answer', async () => {
      const { program, answer } = await working();
      program.post('invocation/one/response', '1').post('invocation/one/error', '{}');
      assert.equal((await program.answer())?.status, 202);
      const refused = await program.answer();
      assert.equal(refused?.status, 403);
      assert.deepEqual(JSON.parse(refused?.body ?? ''), {
        errorMessage:
          'State transition from ResponseSent to InvocationErrorResponse failed for runtime. Error: State transition is not allowed',
        errorType: 'InvalidStateTransition',
      });
      assert.equal(textOf(await answer), '1');
    });

    test('a second answer while the first is on its way', async () => {
      const { program, answer } = await working();
      program.send(
        'POST /2018-06-01/runtime/invocation/one/response HTTP/1.1\r\nContent-Length: 4\r\n\r\nab',
      );
      const second = another();
      // The first bytes are read before the second connection is there: sockets are read in turn.
      assert.equal((await second.post('invocation/two/response', '').answer())?.status, 400);
      assert.match(
        (await second.post('invocation/one/response', '"x"').answer())?.body ?? '',
        /from InvocationResponse/,
      );
      program.send('cd');
      assert.equal(textOf(await answer), 'abcd');
    });

    test('a failed start after the start', async () => {
      const { program } = await working();
      program.post('init/error', '{}');
      assert.match((await program.answer())?.body ?? '', /from Running to InitError/);
    });

    test('work after a failed start', async () => {
      const program = await open();
      program.post('init/error', '{}').poll();
      assert.equal((await program.answer())?.status, 202);
      assert.match((await program.answer())?.body ?? '', /from InitError to Ready/);
    });

    test('responses beyond the limit, and reports it to the caller', async () => {
      const { program, answer } = await working();
      program.post('invocation/one/response', 'x'.repeat(6_291_557)).poll();
      assert.deepEqual(await answer, { kind: 'too-large' });
      const refused = await program.answer();
      assert.equal(refused?.status, 413);
      assert.equal(
        refused?.body,
        '{"errorMessage":"Exceeded maximum allowed payload size (6291556 bytes).","errorType":"RequestEntityTooLarge"}',
      );
      const next = channel.exchange(anEvent('two'));
      assert.equal((await program.answer())?.status, 200);
      program.post('invocation/two/response', 'x'.repeat(6_291_556));
      assert.equal(textOf(await next).length, 6_291_556);
    });

    test('an unknown response mode', async () => {
      const { program, answer } = await working();
      program.post('invocation/one/response', '1', 'Lambda-Runtime-Function-Response-Mode: x\r\n');
      assert.match((await program.answer())?.body ?? '', /InvalidFunctionResponseMode/);
      const reported = await answer;
      assert.equal(
        reported.kind === 'error' && reported.error.type,
        'Runtime.InvalidResponseModeHeader',
      );
    });

    test('more connections than a program needs', async () => {
      await open();
      for (let count = 0; count < 33; count += 1) another();
      await Promise.all(programs.slice(0, 33).map((program) => once(program.socket, 'connect')));
      await programs.at(-1)?.closed();
      // The first ones are none the worse for it.
      assert.equal((await programs[0]?.post('x', '').answer())?.status, 404);
    });

    test('requests without end behind a poll', async () => {
      const program = await open();
      program.poll().send('x'.repeat(70_000));
      assert.equal((await program.answer())?.status, 400);
      await program.closed();
      // Its poll went with it.
      const answer = channel.exchange(anEvent('one'));
      const next = another().poll();
      assert.equal((await next.answer())?.status, 200);
      next.post('invocation/one/response', '1');
      assert.equal(textOf(await answer), '1');
    });
  });

  test('hands an event over with all that is known about it, and nothing that is not', async () => {
    const program = await open();
    program.poll();
    assert.deepEqual(await channel.initialised, { kind: 'ready' });
    const answer = channel.exchange(
      anEvent('one', {
        clientContext: '{\r\n"custom":\n{"ü":1}}',
        identity: '{"cognitoIdentityId":"i"}',
        tenantId: 'blue\r\nX-Forged: yes',
      }),
    );
    const event = await program.answer();
    assert.equal(event?.body, '{"a":1}');
    assert.deepEqual(Object.fromEntries(event?.headers ?? []), {
      'content-type': 'application/json',
      'content-length': '7',
      'lambda-runtime-aws-request-id': 'one',
      'lambda-runtime-deadline-ms': '1700000000000',
      'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:us-east-1:123456789012:function:f',
      'lambda-runtime-trace-id': 'Root=1-2-3',
      'lambda-runtime-client-context': '{  "custom": {"ü":1}}',
      'lambda-runtime-cognito-identity': '{"cognitoIdentityId":"i"}',
      'lambda-runtime-aws-tenant-id': 'blue  X-Forged: yes',
    });
    program.post('invocation/one/response', '[]', 'Content-Type: text/x\r\n');
    assert.deepEqual(
      await program.answer().then((accepted) => [accepted?.status, accepted?.body]),
      [202, '{"status":"OK"}'],
    );
    assert.deepEqual(await answer, {
      kind: 'response',
      payload: Buffer.from('[]'),
      contentType: 'text/x',
    });
    channel.exchange(anEvent('two', { traceHeader: '', contentType: 'text/plain' }));
    const plain = await program.poll().answer();
    assert.equal(plain?.headers.get('content-type'), 'text/plain');
    assert.equal(plain?.headers.has('lambda-runtime-trace-id'), false);
    assert.equal(plain?.headers.has('lambda-runtime-client-context'), false);
  });

  test('takes an answer and the next poll in one write, byte by byte as well', async () => {
    const { program, answer } = await working();
    const next = channel.exchange(anEvent('two'));
    program.post('invocation/one/response', '1').poll();
    assert.equal((await program.answer())?.status, 202);
    assert.equal((await program.answer())?.headers.get('lambda-runtime-aws-request-id'), 'two');
    assert.equal(textOf(await answer), '1');
    const bytes =
      'POST /2018-06-01/runtime/invocation/two/response HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n' +
      '3;x=y\r\nabc\r\n01\r\nd\r\n0\r\n\r\nGET /2018-06-01/runtime/invocation/next HTTP/1.1\r\n\r\n';
    program.socket.setNoDelay(true);
    for (const byte of bytes) program.send(byte);
    assert.equal(textOf(await next), 'abcd');
    assert.equal((await program.answer())?.status, 202);
    channel.exchange(anEvent('three'));
    assert.equal((await program.answer())?.headers.get('lambda-runtime-aws-request-id'), 'three');
  });

  test('wakes a program once that asks on in the same breath, unless it would wait for long', async () => {
    const { program, answer } = await working();
    const writes: string[] = [];
    program.socket.on('data', (bytes: Buffer) => writes.push(bytes.toString()));
    program.post('invocation/one/response', '1').poll();
    await answer;
    channel.exchange(anEvent('two'));
    assert.equal((await program.answer())?.status, 202);
    assert.equal((await program.answer())?.status, 200);
    assert.equal(writes.length, 1);
    program.post('invocation/two/response', '2').poll();
    assert.equal((await program.answer())?.status, 202);
    assert.equal(writes.length, 2);
  });

  test('continues a client that expects 100 Continue', async () => {
    const { program, answer } = await working();
    program.send(
      'POST /2018-06-01/runtime/invocation/one/response HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n',
    );
    assert.equal((await program.answer())?.status, 100);
    program.send('ok');
    assert.equal(textOf(await answer), 'ok');
  });

  test('closes after the answer when asked to', async () => {
    const program = await open();
    program.send('GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\nConnection: close\r\n\r\n');
    const answer = channel.exchange(anEvent('one'));
    assert.equal((await program.answer())?.status, 200);
    await program.closed();
    another().post('invocation/one/response', '"ok"');
    assert.equal(textOf(await answer), '"ok"');
  });

  test('passes errors on unchanged, and filters their types', async () => {
    const types: [string, string][] = [
      ['Runtime.Whatever', 'Runtime.Whatever'],
      ['Function.custom', 'Function.Unknown'],
      ['TypeError', 'Runtime.Unknown'],
      [`Function.${'X'.repeat(500)}`, 'Function.Unknown'],
      [`Runtime.${'X'.repeat(500)}`, 'Runtime.Unknown'],
    ];
    const program = await open();
    for (const [given, retained] of types) {
      const answer = channel.exchange(anEvent(given));
      program.poll();
      await program.answer();
      program.post(
        `invocation/${given}/error`,
        'not even JSON',
        `Lambda-Runtime-Function-Error-Type: ${given}\r\n`,
      );
      assert.equal((await program.answer())?.status, 202);
      assert.deepEqual(await answer, {
        kind: 'error',
        error: { payload: Buffer.from('not even JSON'), type: retained },
      });
    }
  });

  test('reports a start that failed', async () => {
    const program = await open();
    program.post('init/error', '{"errorType":"x"}');
    assert.equal((await program.answer())?.status, 202);
    assert.deepEqual(await channel.initialised, {
      kind: 'failed',
      error: { payload: Buffer.from('{"errorType":"x"}'), type: 'Runtime.Unknown' },
    });
  });

  test('never gives an event to the poll of a program that is gone', async () => {
    const program = await open();
    program.poll();
    await channel.initialised;
    program.socket.destroy();
    // The next connection is accepted after the first one was seen to close.
    const next = another();
    await next.post('x', '').answer();
    const answer = channel.exchange(anEvent('one'));
    next.poll();
    assert.equal((await next.answer())?.headers.get('lambda-runtime-aws-request-id'), 'one');
    next.post('invocation/one/response', '1');
    assert.equal(textOf(await answer), '1');
  });

  test('hands an event out again that was on its way to a program that is gone', async () => {
    const program = await open();
    program.poll();
    await channel.initialised;
    program.socket.destroy();
    // Not seen yet: the event goes into a socket that no one reads.
    const answer = channel.exchange(anEvent('one'));
    const next = another().poll();
    assert.equal((await next.answer())?.headers.get('lambda-runtime-aws-request-id'), 'one');
    next.post('invocation/one/response', '1');
    assert.equal(textOf(await answer), '1');
  });

  test('gives a program that asks again the event that it has not answered', async () => {
    const { program } = await working();
    program.poll();
    assert.equal((await program.answer())?.headers.get('lambda-runtime-aws-request-id'), 'one');
  });

  test('streams a response with how it ended', async () => {
    const { program, answer } = await working();
    program.send(
      'POST /2018-06-01/runtime/invocation/one/response HTTP/1.1\r\nContent-Type: text/event-stream\r\n' +
        'Lambda-Runtime-Function-Response-Mode: streaming\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n',
    );
    const stream = await answer;
    assert.ok(stream.kind === 'stream');
    assert.equal(stream.contentType, 'text/event-stream');
    const pieces = stream.body[Symbol.asyncIterator]();
    assert.equal(Buffer.from((await pieces.next()).value ?? []).toString(), 'first');
    const body = Buffer.from('{"errorType":"E"}').toString('base64');
    program.send(
      `4\r\nlast\r\n0\r\nLambda-Runtime-Function-Error-Type: Function.Odd\r\nLambda-Runtime-Function-Error-Body: ${body}\r\n\r\n`,
    );
    assert.equal(Buffer.from((await pieces.next()).value ?? []).toString(), 'last');
    assert.equal((await pieces.next()).done, true);
    assert.deepEqual(await stream.trailer, {
      payload: Buffer.from('{"errorType":"E"}'),
      type: 'Function.Odd',
    });
    assert.equal((await program.answer())?.status, 202);
  });

  test('slows a program whose stream no one reads, and lets it go on when no one will', async () => {
    const { program, answer } = await working();
    program.send(
      'POST /2018-06-01/runtime/invocation/one/response HTTP/1.1\r\n' +
        'Lambda-Runtime-Function-Response-Mode: streaming\r\nContent-Length: 20000000\r\n\r\n',
    );
    program.send(Buffer.alloc(20_000_000));
    const stream = await answer;
    assert.ok(stream.kind === 'stream');
    const pieces = stream.body[Symbol.asyncIterator]();
    await pieces.next();
    assert.ok(program.socket.writableLength > 10_000_000);
    await pieces.return?.();
    assert.equal((await program.answer())?.status, 202);
    assert.equal(await stream.trailer, undefined);
  });

  test('ends a stream that breaks off with an error, and goes on', async () => {
    const { program, answer } = await working();
    program.send(
      'POST /2018-06-01/runtime/invocation/one/response HTTP/1.1\r\n' +
        'Lambda-Runtime-Function-Response-Mode: streaming\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfir',
    );
    const stream = await answer;
    assert.ok(stream.kind === 'stream');
    program.socket.destroy();
    assert.equal((await stream.trailer)?.type, 'Runtime.TruncatedResponse');
    const next = another().poll();
    channel.exchange(anEvent('two'));
    assert.equal((await next.answer())?.headers.get('lambda-runtime-aws-request-id'), 'two');
  });

  test('has several events worked on at a time when configured so', async () => {
    const program = await open({ concurrency: 2 });
    const answers = ['a', 'b', 'c'].map((id) => channel.exchange(anEvent(id)));
    const second = another();
    assert.equal(
      (await program.poll().answer())?.headers.get('lambda-runtime-aws-request-id'),
      'a',
    );
    assert.equal((await second.poll().answer())?.headers.get('lambda-runtime-aws-request-id'), 'b');
    second.post('invocation/b/response', '"b"').poll();
    assert.equal((await second.answer())?.status, 202);
    assert.equal((await second.answer())?.headers.get('lambda-runtime-aws-request-id'), 'c');
    program.post('invocation/c/response', '"c"').post('invocation/a/response', '"a"');
    assert.deepEqual((await Promise.all(answers)).map(textOf), ['"a"', '"b"', '"c"']);
  });

  test('restores a program when the first event comes', async () => {
    const program = await open({ snapStart: true });
    program.send('GET /2018-06-01/runtime/restore/next HTTP/1.1\r\n\r\n');
    assert.deepEqual(await channel.initialised, { kind: 'ready' });
    channel.exchange(anEvent('one'));
    assert.equal((await program.answer())?.status, 200);
    assert.equal(
      (await program.poll().answer())?.headers.get('lambda-runtime-aws-request-id'),
      'one',
    );
  });

  test('answers with why a program could not be restored', async () => {
    const program = await open({ snapStart: true });
    const answer = channel.exchange(anEvent('one'));
    program.send('GET /2018-06-01/runtime/restore/next HTTP/1.1\r\n\r\n');
    assert.equal((await program.answer())?.status, 200);
    program
      .post(
        'restore/error',
        '{}',
        'Lambda-Runtime-Function-Error-Type: Runtime.AfterRestoreError\r\n',
      )
      .poll();
    assert.equal((await program.answer())?.status, 202);
    assert.deepEqual(await answer, {
      kind: 'error',
      error: { payload: Buffer.from('{}'), type: 'Runtime.AfterRestoreError' },
    });
    assert.match((await program.answer())?.body ?? '', /from RestoreError to Ready/);
  });

  test('is gone for everybody when it is closed', async () => {
    const { answer } = await working();
    const waiting = channel.exchange(anEvent('two'));
    channel.close();
    assert.deepEqual(await Promise.all([answer, waiting, channel.exchange(anEvent('three'))]), [
      { kind: 'gone', delivered: true },
      { kind: 'gone', delivered: false },
      { kind: 'gone', delivered: false },
    ]);
    const unborn = createRuntimeChannel();
    unborn.close();
    assert.deepEqual(await unborn.initialised, { kind: 'gone' });
  });

  test('survives whatever bytes a program sends', async () => {
    await open();
    const fragment = oneof(
      uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      constantFrom(
        'POST /2018-06-01/runtime/invocation/one/response HTTP/1.1\r\n',
        'GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\n\r\n',
        'Transfer-Encoding: chunked\r\n\r\n',
        'Content-Length: 5\r\n\r\n',
        '5\r\nabcde\r\n',
        '0\r\n\r\n',
        '\r\n',
        'ffffffffffff\r\n',
      ).map((text) => Buffer.from(text)),
    );
    await assertProperty(
      asyncProperty(array(fragment, { maxLength: 12 }), async (fragments) => {
        const hostile = another();
        for (const bytes of fragments) hostile.send(bytes);
        hostile.socket.end();
        await hostile.closed();
      }),
      { numRuns: 300 },
    );
    // It still does its work.
    const answer = channel.exchange(anEvent('fine'));
    const program = another();
    program.poll();
    await program.answer();
    program.post('invocation/fine/response', '"fine"');
    assert.equal(textOf(await answer), '"fine"');
  });
});

function textOf(answer: RuntimeResponse): string {
  return answer.kind === 'response' ? Buffer.from(answer.payload).toString() : answer.kind;
}
