import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { systemRandom } from '#platform/random.ts';

import { createRuntimeChannel } from './create-runtime-channel.ts';
import { Extensions } from './extensions.ts';
import type { RuntimeChannel } from './runtime-channel.ts';
import { createTelemetry } from './telemetry.ts';
import type { Telemetry } from './telemetry.ts';
import { anEvent, listenFor, RawProgram } from './testing/raw-program.ts';
import type { RawResponse, TestListener } from './testing/raw-program.ts';

describe('extensions', () => {
  let channel: RuntimeChannel;
  let extensions: Extensions;
  let telemetry: Telemetry;
  let listener: TestListener;
  let delivered: [string, unknown][] = [];
  let programs: RawProgram[] = [];

  beforeEach(async () => {
    delivered = [];
    telemetry = createTelemetry((destination, body) => {
      delivered.push([destination.href, JSON.parse(Buffer.from(body).toString())]);
      return Promise.resolve();
    });
    extensions = new Extensions({
      functionName: 'f',
      functionVersion: '$LATEST',
      handler: 'index.handler',
      accountId: '123456789012',
      external: ['watcher'],
      random: systemRandom,
      telemetry,
    });
    channel = createRuntimeChannel({ otherCalls: extensions });
    listener = await listenFor(channel);
  });

  afterEach(async () => {
    for (const { socket } of programs) socket.destroy();
    programs = [];
    await listener.close();
  });

  function program(): RawProgram {
    const opened = new RawProgram(listener.path);
    programs.push(opened);
    return opened;
  }

  function call(
    method: string,
    path: string,
    body = '',
    headers = '',
  ): Promise<RawResponse | undefined> {
    return program()
      .send(
        Buffer.from(
          `${method} ${path} HTTP/1.1\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`,
          'latin1',
        ),
      )
      .answer();
  }

  function register(name: string, events: string, more = ''): Promise<RawResponse | undefined> {
    const headers = `Lambda-Extension-Name: ${name}\r\n${more}`;
    return call('POST', '/2020-01-01/extension/register', `{"events":${events}}`, headers);
  }

  async function registered(): Promise<string> {
    const answer = await register('watcher', '["INVOKE","SHUTDOWN"]');
    return `Lambda-Extension-Identifier: ${answer?.headers.get('lambda-extension-identifier')}\r\n`;
  }

  async function typeOf(answer: Promise<RawResponse | undefined>): Promise<unknown> {
    const { status, body } = (await answer) ?? {};
    return [status, JSON.parse(body ?? '').errorType];
  }

  test('are refused what they may not', async () => {
    const next = '/2020-01-01/extension/event/next';
    assert.deepEqual(await typeOf(register('', '[]')), [403, 'Extension.InvalidExtensionName']);
    assert.deepEqual(await typeOf(register('x', '["OTHER"]')), [403, 'Extension.InvalidEventType']);
    const deep = `[${'['.repeat(30_000)}${']'.repeat(30_000)}]`;
    for (const none of ['[{"toString":1}]', deep, '[null]']) {
      assert.deepEqual(await typeOf(register('x', none)), [403, 'Extension.InvalidEventType']);
    }
    assert.deepEqual(await typeOf(register('x', '["SHUTDOWN"]')), [
      403,
      'Extension.InvalidEventType',
    ]);
    assert.deepEqual(await typeOf(register('x', 'no JSON')), [403, 'InvalidRequestFormat']);
    assert.deepEqual(await typeOf(call('GET', next)), [
      403,
      'Extension.MissingExtensionIdentifier',
    ]);
    const foreign = 'Lambda-Extension-Identifier: other\r\n';
    assert.deepEqual(await typeOf(call('GET', next, '', foreign)), [
      403,
      'Extension.UnknownExtensionIdentifier',
    ]);
    assert.deepEqual(await typeOf(call('POST', next)), [405, 'MethodNotAllowed']);
    const id = await registered();
    assert.deepEqual(await typeOf(register('watcher', '[]')), [
      403,
      'Extension.InvalidExtensionState',
    ]);
    assert.deepEqual(await typeOf(call('POST', '/2020-01-01/extension/init/error', '', id)), [
      403,
      'Extension.MissingHeader',
    ]);
    for (const body of [
      'x',
      '{}',
      '{"types":["function"],"destination":{"protocol":"HTTP","URI":"http://127.0.0.1:80"}}',
    ]) {
      assert.deepEqual(await typeOf(call('PUT', '/2022-07-01/telemetry', body, id)), [
        400,
        'ValidationError',
      ]);
    }
    for (let count = 1; count < 10; count += 1)
      assert.equal((await register(`x${count}`, '[]'))?.status, 200);
    assert.deepEqual(await typeOf(register('y', '[]')), [403, 'Extension.TooManyExtensions']);
    extensions.closeRegistration();
    assert.deepEqual(await typeOf(register('z', '[]')), [403, 'Extension.RegistrationClosed']);
  });

  test('are known by the names of their files', async () => {
    // A program sends the name of its file as it is, in UTF-8.
    const answer = await register(Buffer.from('é\u{1F980}').toString('latin1'), '[]');
    const id = `Lambda-Extension-Identifier: ${answer?.headers.get('lambda-extension-identifier')}\r\n`;
    const type = 'Lambda-Extension-Function-Error-Type: Extension.Own\r\n';
    await call('POST', '/2020-01-01/extension/init/error', '', id + type);
    assert.equal((await extensions.failed).name, 'é\u{1F980}');
  });

  test('send no more than a registration and a subscription need', async () => {
    const padding = ' '.repeat(100_000);
    assert.deepEqual(await typeOf(register('x', `[${padding}]`)), [413, 'RequestEntityTooLarge']);
    const id = await registered();
    for (const path of ['/2022-07-01/telemetry', '/2020-08-15/logs']) {
      assert.deepEqual(await typeOf(call('PUT', path, `{${padding}}`, id)), [
        413,
        'RequestEntityTooLarge',
      ]);
    }
  });

  test('learn about the function when they register', async () => {
    const all = extensions.allRegistered();
    const answer = await register(
      'watcher',
      '[]',
      'Lambda-Extension-Accept-Feature: accountId\r\n',
    );
    await all;
    assert.deepEqual(JSON.parse(answer?.body ?? ''), {
      functionName: 'f',
      functionVersion: '$LATEST',
      handler: 'index.handler',
      accountId: '123456789012',
    });
  });

  test('are notified of each event and of the end', async () => {
    const id = await registered();
    const poll = `GET /2020-01-01/extension/event/next HTTP/1.1\r\n${id}\r\n`;
    const extension = program().send(poll);
    await extensions.allWaiting();
    const runtime = program().poll();
    void channel.exchange(anEvent('one'));
    assert.equal((await runtime.answer())?.status, 200);
    assert.deepEqual(JSON.parse((await extension.answer())?.body ?? ''), {
      eventType: 'INVOKE',
      deadlineMs: 1_700_000_000_000,
      requestId: 'one',
      invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:f',
      tracing: { type: 'X-Amzn-Trace-Id', value: 'Root=1-2-3' },
    });
    // Busy when the end comes: it hears of it when it asks.
    extensions.shutDown('spindown', 5);
    extension.send(poll);
    assert.deepEqual(JSON.parse((await extension.answer())?.body ?? ''), {
      eventType: 'SHUTDOWN',
      deadlineMs: 5,
      shutdownReason: 'spindown',
    });
  });

  test('can say that they failed', async () => {
    const errorType = `Extension.${'X'.repeat(500)}`;
    const headers = `${await registered()}Lambda-Extension-Function-Error-Type: ${errorType}\r\n`;
    const answer = await call('POST', '/2020-01-01/extension/exit/error', '{}', headers);
    assert.deepEqual([answer?.status, answer?.body], [202, '{"status":"OK"}']);
    assert.deepEqual(await extensions.failed, {
      name: 'watcher',
      errorType: errorType.slice(0, 255),
      during: 'exit',
    });
  });

  test('get what they have subscribed to', async () => {
    const id = await registered();
    const body =
      '{"schemaVersion":"2022-12-13","types":["function"],"destination":{"protocol":"HTTP","URI":"http://sandbox.localdomain:8080/x"}}';
    const answer = await call('PUT', '/2022-07-01/telemetry', body, id);
    assert.deepEqual([answer?.status, answer?.body], [200, 'OK']);
    telemetry.publish({ time: 't', type: 'platform.start', record: {} });
    telemetry.publish({ time: 't', type: 'function', record: 'a line' });
    await telemetry.flush();
    assert.deepEqual(delivered, [
      ['http://sandbox.localdomain:8080/x', [{ time: 't', type: 'function', record: 'a line' }]],
    ]);
  });
});
