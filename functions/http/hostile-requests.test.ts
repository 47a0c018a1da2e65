import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';

import { zipOf } from '../code/testing/zip-of.ts';
import { assertRefused } from '../testing/assert-refused.ts';
import {
  createTestFunctions,
  type TestResponse,
  type TestFunctions,
  testRole,
} from '../testing/test-functions.ts';

const mebibyte = 1024 * 1024;

/** Requests that are wrong on purpose: each is refused with the recorded message, and costs little. */
describe('requests that no client should send to functions', () => {
  let service: TestFunctions;
  let port: number;
  before(async () => {
    service = await createTestFunctions();
    await service.create('known');
    port = Number(new URL(await service.listen()).port);
  });
  after(() => service.close());

  const put = (body: string | Buffer, type = 'application/json'): Promise<TestResponse> =>
    service.send({
      method: 'PUT',
      target: '/2015-03-31/functions/known/configuration',
      headers: { 'content-type': type },
      body,
    });
  const create = (ZipFile: Uint8Array): Promise<TestResponse> =>
    service.call('CreateFunction', {
      FunctionName: 'hostile',
      Role: testRole,
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Code: { ZipFile },
    });

  const archives: Readonly<Record<string, () => Buffer>> = {
    'no archive': () => Buffer.from('not a zip'),
    'an empty one': () => Buffer.alloc(0),
    'a path that leads out': () => zipOf({ '../../../etc/cron.d/x': 'x' }),
    'an absolute path': () => zipOf({ '/etc/cron.d/x': 'x' }),
    'a link that leads out': () =>
      zipOf([
        ['out', { content: '/etc', mode: 0o120777 }],
        ['out/passwd', 'x'],
      ]),
    'a device': () => zipOf({ null: { content: '', mode: 0o020666 } }),
    '100,000 entries': () =>
      zipOf(
        Array.from(
          { length: 100_000 },
          (_, index) => [`${index}`, { content: '', method: 'stored' }] as const,
        ),
      ),
    'half of one': () => {
      const whole = zipOf({ a: 'x'.repeat(1000) });
      return whole.subarray(0, whole.length / 2);
    },
  };
  for (const [what, bytes] of Object.entries(archives)) {
    test(`code that is ${what}`, async () => {
      assertRefused(await create(bytes()), 'InvalidParameterValueException', /./);
      assertRefused(
        await service.call('GetFunction', { FunctionName: 'hostile' }),
        'ResourceNotFoundException',
        /./,
      );
    });
  }

  test('a zip bomb costs neither memory nor disk', async () => {
    const bomb = zipOf({ bomb: Buffer.alloc(300 * mebibyte) });
    const usual = process.memoryUsage().rss;
    const refused = await create(bomb);
    assertRefused(
      refused,
      'InvalidParameterValueException',
      'Unzipped size must be smaller than 262144000 bytes',
    );
    assert.ok(process.memoryUsage().rss - usual < 150 * mebibyte);
  });

  test('bodies that are no JSON object', async () => {
    for (const body of ['{', '"x"x', '\u0000', '{"a":1,}', Buffer.from([0x7b, 0xff, 0x7d])]) {
      assertRefused(
        await put(body),
        'InvalidRequestContentException',
        /^Could not parse request body into json: /,
      );
    }
    for (const body of ['[]', '"x"', '1', 'null', 'true']) {
      assertRefused(await put(body), 'SerializationException', /./);
    }
  });

  test('JSON that is deep or wide', async () => {
    const deep = `{"Environment":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    assert.ok([400, 413].includes((await put(deep)).status));
    const names = Array.from({ length: 450 }, (_, index) => [`v${index}`, '']);
    const wide = JSON.stringify({ Environment: { Variables: Object.fromEntries(names) } });
    assertRefused(await put(wide), 'InvalidParameterValueException', /4KB/);
    const prototypes =
      '{"__proto__":{"MemorySize":128},"constructor":1,"Environment":{"Variables":{"__proto__":"x"}}}';
    assert.ok((await put(prototypes)).status < 500);
    await service.untilProvisioned();
    assert.equal(Reflect.get({}, 'MemorySize'), undefined);
  });

  test('lists in lists, deeper than the stack, where a member of them is not supported', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const body = `{"FunctionName":"hostile","Role":"${testRole}","Code":${deep}}`;
    const answer = await service.send({ method: 'POST', target: '/2015-03-31/functions', body });
    assertRefused(answer, 'SerializationException', /./);
  });

  test('a body as large as code that is no code', async () => {
    for (const values of ['{},', '"",', '[],'].map((value) => value.repeat(400_000))) {
      const body = `{"FunctionName":"hostile","more":[${values}0]}`;
      const answer = await service.send({ method: 'POST', target: '/2015-03-31/functions', body });
      assertRefused(
        answer,
        'RequestEntityTooLargeException',
        'Request must be smaller than 1048576 bytes outside of strings for the CreateFunction operation',
      );
    }
  });

  test('lists of a megabyte, whose every item breaks constraints', async () => {
    const target = '/2025-12-01/durable-executions/arn/checkpoint';
    const items = `[${'{},'.repeat(300_000)}{}]`;
    const requests = [
      { target, body: `{"CheckpointToken":"x","Updates":${items}}` },
      { target: '/2015-03-31/functions', body: `{"FileSystemConfigs":${items}}` },
    ];
    for (const request of requests) {
      const answer = await service.send({ method: 'POST', ...request });
      assertRefused(answer, 'SerializationException', /^A list or map has 300001 items/);
    }
    const body = `{"FileSystemConfigs":[${'{},'.repeat(1000)}{}]}`;
    const answer = await service.send({ method: 'POST', target: '/2015-03-31/functions', body });
    assertRefused(answer, 'ValidationException', /^100 validation errors detected: /);
  });

  test('texts beside code that are as long as code', async () => {
    const input = { FunctionName: 'hostile', Role: testRole, Handler: 'x'.repeat(2 * mebibyte) };
    assertRefused(
      await service.call('CreateFunction', { ...input, Code: { ZipFile: zipOf({ a: 'x' }) } }),
      'RequestEntityTooLargeException',
      'Request must be smaller than 1048576 characters besides the code for the CreateFunction operation',
    );
  });

  test('bodies beyond the limit', async () => {
    assertRefused(
      await put(Buffer.alloc(8 * mebibyte, 0x20)),
      'RequestEntityTooLargeException',
      /^Request must be smaller than \d+ bytes for the UpdateFunctionConfiguration operation$/,
    );
    const event = await service.send({
      method: 'POST',
      target: '/2015-03-31/functions/known/invocations',
      body: Buffer.alloc(7 * mebibyte, 0x31),
    });
    assertRefused(
      event,
      'RequestEntityTooLargeException',
      /^Request must be smaller than 6291456 bytes for the InvokeFunction operation$/,
    );
  });

  test('the type of a body matters only when it is none', async () => {
    for (const type of ['text/plain', 'application/x-amz-json-1.1', 'multipart/form-data', '*/*']) {
      assert.equal((await put('{"Description":"same"}', type)).status, 200, type);
      await service.untilProvisioned();
    }
    assertRefused(await put('{}', 'no type'), 'UnsupportedMediaTypeException', /./);
  });

  test('methods, paths and names that are none', async () => {
    for (const target of [
      '/2015-03-31',
      '/2015-03-31/functions/known/nothing',
      '/2015-03-31/functions//configuration',
      '/2015-03-31/functions/%',
      '/2015-03-31/functions/%ff/configuration',
      `/2015-03-31/functions/${'x'.repeat(5000)}/configuration`,
      '/2015-03-31/functions/a%00b/configuration',
      '/2015-03-31/functions/..%2f..%2fetc/configuration',
      '/2099-03-31/functions',
    ]) {
      for (const method of ['GET', 'PUT', 'PATCH'] as const) {
        const answer = await service.send({ method, target });
        assert.ok(
          [400, 404, 405, 414].includes(answer.status),
          `${method} ${target}: ${answer.status}`,
        );
        assert.ok(answer.headers['x-amzn-errortype'], `${method} ${target}: ${answer.text}`);
      }
    }
  });

  test('a body that never ends holds nothing up', async () => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write(
      'PUT /2015-03-31/functions/known/configuration HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{',
    );
    const { status } = await service.call('GetFunctionConfiguration', { FunctionName: 'known' });
    assert.equal(status, 200);
    socket.destroy();
  });

  test('a flood of headers', async () => {
    const lines = Array.from({ length: 3000 }, (_, index) => `x-amz-${index}: ${'x'.repeat(20)}`);
    const answer = await said(
      port,
      `GET /2015-03-31/functions HTTP/1.1\r\nHost: x\r\n${lines.join('\r\n')}\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 431 /);
    const few = await said(
      port,
      `GET /2015-03-31/functions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.slice(0, 200).join('\r\n')}\r\n\r\n`,
    );
    assert.match(few, /^HTTP\/1\.1 200 /);
  });

  test('two lengths, or a length and pieces, are refused', async () => {
    const line = 'PUT /2015-03-31/functions/known/configuration HTTP/1.1\r\nHost: x\r\n';
    for (const framing of [
      'Content-Length: 2\r\nContent-Length: 3',
      'Content-Length: 2\r\nTransfer-Encoding: chunked',
    ]) {
      assert.match(await said(port, `${line}${framing}\r\n\r\n{}`), /^HTTP\/1\.1 400 /);
    }
  });
});

/** Everything that comes back for some bytes. */
function said(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const pieces: Buffer[] = [];
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    // A server that has sent its response may hang up on what we still send.
    socket.once('error', () => socket.destroy());
    socket.once('close', () => resolve(Buffer.concat(pieces).toString()));
    socket.write(bytes);
  });
}
