import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import { eventRequestBytesMax } from '#functions-contract/limits.ts';

import type { EventTarget } from '../configured-resources/configured-resources.ts';
import { assertRefused } from '../testing/assert-refused.ts';
import {
  arnOf,
  createTestFunctions,
  testServerId,
  type TestFunctions,
} from '../testing/test-functions.ts';
import { claimEvent, dueEvents } from './event-store.ts';
import { dueMessages, insertMessage } from './outbox-store.ts';
import type { FunctionOutcome } from '../environments/execution-environment.ts';

const queue = 'arn:aws:sqs:us-east-1:123456789012:failed';
const other = 'arn:aws:sqs:us-east-1:123456789012:done';

describe('asynchronous events', () => {
  let inbox = '';
  let service: TestFunctions;
  before(async () => {
    inbox = await mkdtemp(join(tmpdir(), 'hob-inbox-'));
  });
  after(async () => {
    await rm(inbox, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await rm(inbox, { recursive: true, force: true });
    const target: EventTarget = { kind: 'folder', folder: inbox };
    service = await createTestFunctions({
      configured: {
        targets: new Map([
          [queue, target],
          [other, target],
        ]),
      },
    });
  });
  afterEach(() => service.close());

  const send = (name: string, payload = '{"a":1}', given = {}): ReturnType<TestFunctions['call']> =>
    service.call('Invoke', {
      FunctionName: name,
      InvocationType: 'Event',
      Payload: payload,
      ...given,
    });

  interface Filed {
    readonly target: string;
    readonly attributes: Record<string, { type: string; value: string }>;
    readonly body: string;
  }

  async function filed(): Promise<Filed[]> {
    const names = await readdir(inbox).catch((): string[] => []);
    const messages = await Promise.all(
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the code under test
      names.map(async (name) => JSON.parse(await readFile(join(inbox, name), 'utf8')) as Filed),
    );
    return messages.toSorted((one, two) => one.target.localeCompare(two.target));
  }

  const failing = (): FunctionOutcome => ({
    kind: 'failed',
    errorType: 'Error',
    payload: Buffer.from('{"errorType":"Error","errorMessage":"no luck"}'),
  });

  it('are refused when they are too large, no JSON or for a function that does not exist', async () => {
    await service.create('f');
    assertRefused(
      await send('f', JSON.stringify('x'.repeat(eventRequestBytesMax))),
      'RequestEntityTooLargeException',
      'Request must be smaller than 1048576 bytes for the InvokeFunction operation',
    );
    assert.equal((await send('f', '{')).status, 400);
    assertRefused(
      await send('g'),
      'ResourceNotFoundException',
      `Function not found: ${arnOf('g')}:$LATEST`,
    );
    await service.ports.events.poll();
    assert.equal(service.environments.invoked.length, 0);
  });

  it('are answered before they run, with nothing', async () => {
    await service.create('f');
    const answer = await send('f');
    assert.equal(answer.status, 202);
    assert.equal(answer.text, '');
    assert.equal(answer.headers['x-amz-executed-version'], undefined);
    assert.equal(service.environments.invoked.length, 0);
    await service.ports.events.poll();
    const [run] = service.environments.invoked;
    assert.equal(run?.event.requestId, answer.headers['x-amzn-requestid']);
    assert.equal(run?.event.functionArn, arnOf('f'));
    assert.equal(Buffer.from(run?.event.payload ?? []).toString(), '{"a":1}');
    await service.ports.events.poll();
    assert.equal(service.environments.invoked.length, 1);
  });

  it('may be handed over the old way', async () => {
    await service.create('f');
    const answer = await service.send({
      method: 'POST',
      target: '/2014-11-13/functions/f/invoke-async/',
      body: '{"b":2}',
    });
    assert.equal(answer.status, 202);
    await service.ports.events.poll();
    const [run] = service.environments.invoked;
    assert.equal(Buffer.from(run?.event.payload ?? []).toString(), '{"b":2}');
  });

  it('run with what the function is by then', async () => {
    await service.create('f');
    await send('f');
    await service.call('UpdateFunctionConfiguration', { FunctionName: 'f', Timeout: 77 });
    await service.untilProvisioned();
    await service.ports.events.poll();
    assert.equal(service.environments.invoked[0]?.spec.configuration.Timeout, 77);
  });

  it('go with their function', async () => {
    await service.create('f');
    await send('f');
    await service.call('DeleteFunction', { FunctionName: 'f' });
    await service.create('f');
    await service.ports.events.poll();
    assert.equal(service.environments.invoked.length, 0);
  });

  it('that fail are tried three times under one id, then go to the dead-letter queue', async () => {
    await service.create('f', { DeadLetterConfig: { TargetArn: queue } });
    service.environments.answer(failing);
    const id = (await send('f')).headers['x-amzn-requestid'];
    await service.ports.events.poll();
    assert.deepEqual(
      service.environments.invoked.map(({ event }) => event.requestId),
      [id, id, id],
    );
    assert.deepEqual(
      (await filed()).map(({ body, attributes }) => ({ body, attributes })),
      [
        {
          body: '{"a":1}',
          attributes: {
            RequestID: { type: 'String', value: id },
            ErrorCode: { type: 'Number', value: '200' },
            ErrorMessage: { type: 'String', value: 'no luck' },
          },
        },
      ],
    );
  });

  it('notify the destination of failures', async () => {
    await service.create('f');
    await service.call('PutFunctionEventInvokeConfig', {
      FunctionName: 'f',
      MaximumRetryAttempts: 1,
      DestinationConfig: { OnFailure: { Destination: queue }, OnSuccess: { Destination: other } },
    });
    service.environments.answer(failing);
    const id = (await send('f')).headers['x-amzn-requestid'];
    await service.ports.events.poll();
    const [message, ...more] = await filed();
    assert.equal(more.length, 0);
    assert.equal(message?.target, queue);
    assert.deepEqual(message?.attributes, {});
    assert.equal(
      message?.body,
      JSON.stringify({
        version: '1.0',
        timestamp: '2026-01-02T03:04:05.678Z',
        requestContext: {
          requestId: id,
          functionArn: `${arnOf('f')}:$LATEST`,
          condition: 'RetriesExhausted',
          approximateInvokeCount: 2,
        },
        requestPayload: { a: 1 },
        responseContext: {
          statusCode: 200,
          executedVersion: '$LATEST',
          functionError: 'Unhandled',
        },
        responsePayload: { errorType: 'Error', errorMessage: 'no luck' },
      }),
    );
  });

  it('notify of what can be read and not be written again, as it was written', async () => {
    await service.create('f', { DeadLetterConfig: { TargetArn: queue } });
    await service.call('PutFunctionEventInvokeConfig', {
      FunctionName: 'f',
      MaximumRetryAttempts: 0,
      DestinationConfig: { OnFailure: { Destination: other } },
    });
    // Members whose names are numbers have JSON.stringify recurse.
    const deep = `{"1":1e0,"deep":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const payload = `{"errorMessage":{"toString":1},"data":${deep}}`;
    service.environments.answer(() => ({
      kind: 'failed',
      errorType: 'Error',
      payload: Buffer.from(payload),
    }));
    await send('f', deep);
    await service.ports.events.poll();
    assert.equal(service.environments.invoked.length, 1);
    const [done, failed] = await filed();
    assert.ok(done?.body.includes(`"requestPayload":${deep},"responseContext"`));
    assert.ok(done?.body.endsWith(`"responsePayload":${payload}}`));
    assert.equal(failed?.body, deep);
    assert.equal(failed?.attributes['ErrorMessage'], undefined);
  });

  it('notify the destination of successes, and a function may be one', async () => {
    await service.create('f');
    await service.create('listener');
    await service.call('PutFunctionEventInvokeConfig', {
      FunctionName: 'f',
      DestinationConfig: { OnSuccess: { Destination: arnOf('listener') } },
    });
    const id = (await send('f')).headers['x-amzn-requestid'];
    await service.ports.events.poll();
    const reported = service.environments.invoked.at(-1);
    assert.equal(reported?.spec.functionName, 'listener');
    assert.notEqual(reported?.event.requestId, id);
    const record: unknown = JSON.parse(Buffer.from(reported?.event.payload ?? []).toString());
    assert.deepEqual(record, {
      version: '1.0',
      timestamp: '2026-01-02T03:04:05.678Z',
      requestContext: {
        requestId: id,
        functionArn: `${arnOf('f')}:$LATEST`,
        condition: 'Success',
        approximateInvokeCount: 1,
      },
      requestPayload: { a: 1 },
      responseContext: { statusCode: 200, executedVersion: '$LATEST' },
      responsePayload: { a: 1 },
    });
  });

  it('are not run at all while nothing is reserved for the function', async () => {
    await service.create('f', { DeadLetterConfig: { TargetArn: queue } });
    await service.call('PutFunctionConcurrency', {
      FunctionName: 'f',
      ReservedConcurrentExecutions: 0,
    });
    await send('f');
    await service.ports.events.poll();
    assert.equal(service.environments.invoked.length, 0);
    assert.deepEqual((await filed())[0]?.attributes['ErrorCode'], { type: 'Number', value: '429' });
  });

  it('do not wait for a clock that was set back', async () => {
    await service.create('f');
    await service.call('PutFunctionEventInvokeConfig', {
      FunctionName: 'f',
      DestinationConfig: { OnSuccess: { Destination: queue } },
    });
    await send('f');
    service.clock.advance(-3_600_000);
    await service.ports.events.poll();
    assert.equal(service.environments.invoked.length, 1);
    assert.equal((await filed()).length, 1);
    service.clock.advance(3_600_000);
    await service.ports.events.poll();
    assert.equal(service.environments.invoked.length, 1);
  });

  it('have messages that do not wait for a clock that was set back, but keep their pauses', async () => {
    const { database } = service.ports;
    const message = { id: '1', body: '{}', attributes: {}, detailType: 'x', resources: [] };
    const now = 1_000_000_000_000;
    await database.write((sql) => insertMessage(sql, { target: queue, message }, 1, now));
    const dueAt = (time: number): Promise<readonly unknown[]> =>
      database.read((sql) => dueMessages(sql, time, { toOne: 10, inAll: 10, offset: 0 }));
    assert.equal((await dueAt(now - 5 * 60_000)).length, 0);
    assert.equal((await dueAt(now - 3_600_000)).length, 1);
    await database.write((sql) => sql.run('delete from function_messages'));
  });

  it('are given up when they are too old', async () => {
    await service.create('f');
    await service.call('PutFunctionEventInvokeConfig', {
      FunctionName: 'f',
      MaximumEventAgeInSeconds: 60,
      DestinationConfig: { OnFailure: { Destination: queue } },
    });
    await send('f');
    service.clock.advance(60_001);
    await service.ports.events.poll();
    assert.equal(service.environments.invoked.length, 0);
    const record = JSON.parse((await filed())[0]?.body ?? '');
    assert.equal(record.requestContext.condition, 'EventAgeExceeded');
    assert.equal(record.responseContext, undefined);
  });

  it('wait longer and longer for what they need', async () => {
    await service.create('f');
    const alias = { FunctionName: 'f', Name: 'live' };
    await service.call('CreateAlias', { ...alias, FunctionVersion: '$LATEST' });
    await send('f', '{}', { Qualifier: 'live' });
    await service.call('DeleteAlias', alias);
    await service.ports.events.poll();
    service.clock.advance(1000);
    await service.ports.events.poll();
    await service.call('CreateAlias', { ...alias, FunctionVersion: '$LATEST' });
    service.clock.advance(1999);
    await service.ports.events.poll();
    assert.equal(service.environments.invoked.length, 0);
    service.clock.advance(1);
    await service.ports.events.poll();
    assert.equal(service.environments.invoked[0]?.event.functionArn, `${arnOf('f')}:live`);
  });

  it('whose outcome the database did not take are run again once it does', async () => {
    const unwritten = await createTestFunctions({ onFault: () => {} });
    try {
      await unwritten.create('f');
      await unwritten.call('Invoke', { FunctionName: 'f', InvocationType: 'Event', Payload: '1' });
      const { environments, ports } = unwritten;
      const { database, events } = ports;
      const diskFull = Object.assign(new Error('full'), { code: 'ENOSPC' });
      const real = { ...database };
      environments.answer((event) => {
        // What came of it cannot be written down.
        Reflect.set(database, 'write', () => Promise.reject(diskFull));
        return { kind: 'response', payload: event.payload };
      });
      await assert.rejects(events.poll(), diskFull);
      Reflect.set(database, 'write', real.write.bind(real));
      environments.answer((event) => ({ kind: 'response', payload: event.payload }));
      for (let times = 1; times <= 2; times += 1) {
        await events.poll();
        assert.equal(environments.invoked.length, 2);
      }
    } finally {
      await unwritten.close();
    }
  });

  it('that a killed server had taken on are run by the next', async () => {
    await service.create('f');
    await send('f');
    const { database, clock } = service.ports;
    await database.write(async (sql) => {
      const [due] = await dueEvents(sql, 1, clock.now(), 1);
      assert.ok(due);
      assert.ok(await claimEvent(sql, due, testServerId, clock.now()));
      // No one else has it then.
      assert.equal(await claimEvent(sql, due, testServerId, clock.now()), undefined);
    });
    await service.ports.events.poll();
    assert.equal(service.environments.invoked.length, 0);
    const ran = new Promise<void>((resolve) => {
      service.environments.answer((event) => {
        resolve();
        return { kind: 'response', payload: event.payload };
      });
    });
    await service.ports.events.start();
    await ran;
  });

  it('run by themselves once started, and not after the end', async () => {
    await service.create('f');
    await service.ports.events.start();
    const ran = new Promise<void>((resolve) => {
      service.environments.answer((event) => {
        resolve();
        return { kind: 'response', payload: event.payload };
      });
    });
    await send('f');
    await ran;
    await service.ports.events.close();
    await send('f');
    await service.ports.events.poll();
    assert.equal(service.environments.invoked.length, 1);
  });

  it('that failed because the server ends are run again by the next', async () => {
    await service.create('f');
    await service.ports.events.start();
    const { promise: started, resolve: begin } = Promise.withResolvers<void>();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    service.environments.answer(async () => {
      begin();
      await ended;
      return failing();
    });
    await send('f');
    await started;
    const closing = service.ports.events.close();
    end();
    await closing;
    const left = await service.ports.database.read((sql) => dueEvents(sql, 1, 2 ** 45, 10));
    assert.equal(left.length, 1);
  });
});
