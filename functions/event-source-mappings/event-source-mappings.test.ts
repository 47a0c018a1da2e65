import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { LambdaClient, paginateListEventSourceMappings } from '@aws-sdk/client-lambda';

import type { FunctionOutcome } from '../environments/execution-environment.ts';
import { Secret } from '../keys/secret.ts';
import { assertRefused } from '../testing/assert-refused.ts';
import { testKey } from '../testing/test-credentials.ts';
import { arnOf, createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { createTestHomes, type TestHomes } from '../testing/test-homes.ts';
import { createMappingPollers, type MappingPollers } from './mapping-pollers.ts';
import { openTestQueue, type TestQueue } from './testing/test-queue.ts';

const site = 'us-east-1:123456789012';
const orders = `arn:aws:sqs:${site}:orders`;
const fifo = `arn:aws:sqs:${site}:orders.fifo`;
const inFolder = `arn:aws:sqs:${site}:folder`;

interface Event {
  readonly Records: readonly { readonly body: string; readonly messageId: string }[];
}

describe('event source mappings', () => {
  let queue: TestQueue;
  let functions: TestFunctions;
  let homes: TestHomes;
  let pollers: MappingPollers;
  const faults: unknown[] = [];

  beforeEach(async () => {
    queue = await openTestQueue();
    const key = new Secret({ id: 'AKIDEXAMPLE', secret: 'very-secret' });
    homes = createTestHomes();
    functions = await createTestFunctions({
      homes,
      configured: {
        targets: new Map([
          [orders, { kind: 'endpoint', url: queue.url, key }],
          [fifo, { kind: 'endpoint', url: queue.url }],
          [inFolder, { kind: 'folder', folder: '/none' }],
        ]),
      },
    });
    await functions.create('fn', { Publish: true });
    await functions.call('CreateAlias', { FunctionName: 'fn', Name: 'live', FunctionVersion: '1' });
    faults.length = 0;
    openPollers();
  });
  afterEach(async () => {
    await pollers.close();
    await functions.close();
    await queue.close();
    assert.deepEqual(faults, []);
  });

  function openPollers(pauseMilliseconds = 1): void {
    pollers = createMappingPollers({
      ...functions.ports,
      pauseMilliseconds,
      onError: (error) => faults.push(error),
    });
    pollers.start();
  }

  async function map(more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const input = { FunctionName: 'fn', EventSourceArn: orders, ...more };
    const { status, body, text } = await functions.call('CreateEventSourceMapping', input);
    assert.equal(status, 202, text);
    return body.UUID;
  }

  function answers(outcome: FunctionOutcome): void {
    functions.environments.answer(() => {
      queue.look();
      return outcome;
    });
  }

  /** Once batches in progress have ended. */
  async function resultOf(UUID: string): Promise<unknown> {
    await pollers.close();
    openPollers();
    const { body } = await functions.call('GetEventSourceMapping', { UUID });
    return body.LastProcessingResult;
  }

  const eventsOf = (): Event[] =>
    functions.environments.invoked.map(({ event }) =>
      JSON.parse(Buffer.from(event.payload).toString()),
    );
  const bodiesOf = (): string[][] =>
    eventsOf().map(({ Records }) => Records.map(({ body }) => body));

  const refusals: readonly [object, RegExp, string?][] = [
    [{ EventSourceArn: undefined }, /^Unrecognized event source\.$/],
    [{ EventSourceArn: `arn:aws:kinesis:${site}:stream/s` }, /must be an SQS queue/],
    [
      { EventSourceArn: `arn:aws:sqs:${site}:other` },
      /is not declared .*hob admin add-resource target/,
    ],
    [{ EventSourceArn: inFolder }, /it is declared with "folder"/],
    [{ FunctionName: 'missing' }, /^Function does not exist$/],
    [{ FunctionName: 'fn:9' }, /^Function does not exist$/],
    [{ BatchSize: 11 }, /^Maximum batch window in seconds must be greater than 0/],
    [{ EventSourceArn: fifo, BatchSize: 11, MaximumBatchingWindowInSeconds: 1 }, /FIFO/],
    [{ EventSourceArn: fifo, MaximumBatchingWindowInSeconds: 1 }, /FIFO/],
    [{ FilterCriteria: { Filters: [{ Pattern: '{' }] } }, /^Invalid filter pattern definition\.$/],
    [
      { FilterCriteria: { Filters: Array.from({ length: 6 }, () => ({ Pattern: '{"a":[1]}' })) } },
      /limit of 5/,
    ],
    [{ StartingPosition: 'LATEST' }, /^StartingPosition is not supported by this server\.$/],
    [
      { ScalingConfig: { MaximumConcurrency: 1 } },
      /greater than or equal to 2/,
      'ValidationException',
    ],
  ];
  for (const [input, message, code = 'InvalidParameterValueException'] of refusals) {
    it(`refuse ${JSON.stringify(input)}`, async () => {
      const given = { FunctionName: 'fn', EventSourceArn: orders, ...input };
      const answer = await functions.call('CreateEventSourceMapping', given);
      assert.equal(answer.headers['x-amzn-errortype'], code, answer.text);
      assert.match(answer.body.message, message);
    });
  }

  it('refuse a queue that gives a message out again before the function ends', async () => {
    const message = 'Queue visibility timeout: 2 seconds is less than Function timeout: 3 seconds';
    queue.hideFor(2);
    const given = { FunctionName: 'fn', EventSourceArn: orders };
    const refused = await functions.call('CreateEventSourceMapping', given);
    assertRefused(refused, 'InvalidParameterValueException', message);
    await functions.call('UpdateFunctionConfiguration', { FunctionName: 'fn', Timeout: 2 });
    await functions.untilProvisioned();
    const UUID = await map();
    const moved = { UUID, FunctionName: 'fn:live' };
    const updated = await functions.call('UpdateEventSourceMapping', moved);
    assertRefused(updated, 'InvalidParameterValueException', message);
    queue.answer(500);
    await map({ FunctionName: 'fn:live' });
  });

  it('are created, read, listed, updated and deleted', async () => {
    const created = await functions.call('CreateEventSourceMapping', {
      FunctionName: 'fn:live',
      EventSourceArn: orders,
      FilterCriteria: { Filters: [{ Pattern: '{"body":{"a":[1]}}' }] },
      Tags: { team: 'a' },
      Enabled: false,
    });
    const { UUID, EventSourceMappingArn: arn, ...shown } = created.body;
    assert.equal(arn, `arn:aws:lambda:${site}:event-source-mapping:${UUID}`);
    assert.deepEqual(shown, {
      EventSourceArn: orders,
      FunctionArn: arnOf('fn:live'),
      BatchSize: 10,
      MaximumBatchingWindowInSeconds: 0,
      FilterCriteria: { Filters: [{ Pattern: '{"body":{"a":[1]}}' }] },
      FunctionResponseTypes: [],
      LastModified: 1767323045.678,
      State: 'Creating',
      StateTransitionReason: 'USER_INITIATED',
    });
    assertRefused(
      await functions.call('CreateEventSourceMapping', {
        FunctionName: 'fn:live',
        EventSourceArn: orders,
      }),
      'ResourceConflictException',
      new RegExp(`already exists.*${UUID}`),
    );
    const get = await functions.call('GetEventSourceMapping', { UUID });
    assert.equal(get.body.State, 'Disabled');
    const updated = await functions.call('UpdateEventSourceMapping', {
      UUID,
      Enabled: true,
      FunctionName: 'fn',
      FilterCriteria: {},
      BatchSize: 5,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 2 },
    });
    assert.equal(updated.status, 202);
    assert.equal(updated.body.State, 'Enabling');
    const { body } = await functions.call('GetEventSourceMapping', { UUID });
    assert.equal(body.State, 'Enabled');
    assert.equal(body.FunctionArn, arnOf('fn'));
    assert.equal(body.FilterCriteria, undefined);
    assert.deepEqual(body.ScalingConfig, { MaximumConcurrency: 2 });
    assert.deepEqual(body.FunctionResponseTypes, ['ReportBatchItemFailures']);
    for (const [filter, count] of [
      [{}, 1],
      [{ FunctionName: 'fn' }, 1],
      [{ FunctionName: 'fn:live' }, 0],
      [{ EventSourceArn: orders }, 1],
      [{ EventSourceArn: fifo }, 0],
    ] as const) {
      const listed = await functions.call('ListEventSourceMappings', filter);
      assert.equal(listed.body.EventSourceMappings.length, count, JSON.stringify(filter));
    }
    await functions.call('TagResource', { Resource: arn, Tags: { cost: 'b' } });
    const tags = await functions.call('ListTags', { Resource: arn });
    assert.deepEqual(tags.body.Tags, { team: 'a', cost: 'b' });
    const deleted = await functions.call('DeleteEventSourceMapping', { UUID });
    assert.equal(deleted.body.State, 'Deleting');
    for (const operation of ['Get', 'Update', 'Delete']) {
      assertRefused(
        await functions.call(`${operation}EventSourceMapping`, { UUID }),
        'ResourceNotFoundException',
        'The resource you requested does not exist.',
      );
    }
  });

  it('are listed page by page by the SDK', async () => {
    const uuids = [
      await map(),
      await map({ FunctionName: 'fn:live' }),
      await map({ EventSourceArn: fifo }),
    ];
    const client = new LambdaClient({
      endpoint: await functions.listen(),
      region: 'us-east-1',
      credentials: testKey,
    });
    const seen: unknown[] = [];
    for await (const page of paginateListEventSourceMappings({ client, pageSize: 2 }, {})) {
      seen.push(...(page.EventSourceMappings ?? []).map(({ UUID }) => UUID));
    }
    client.destroy();
    assert.deepEqual(seen, uuids);
  });

  it('invoke the function with the messages, which are then deleted', async () => {
    const attributes = {
      Attributes: { AWSTraceHeader: 'Root=1-5e34a614-10bd0000000000000000a5a1' },
    };
    queue.send(['one', 'two'], {
      ...attributes,
      MessageAttributes: { size: { DataType: 'Number', StringValue: '7' } },
    });
    const uuid = await map();
    await queue.until(() => queue.bodies().length === 0);
    assert.deepEqual(bodiesOf(), [['one', 'two']]);
    assert.deepEqual(eventsOf()[0]?.Records[0], {
      messageId: 'm-1',
      receiptHandle: 'handle-m-1',
      body: 'one',
      attributes: attributes.Attributes,
      messageAttributes: {
        size: { stringValue: '7', stringListValues: [], binaryListValues: [], dataType: 'Number' },
      },
      md5OfBody: 'digest',
      eventSource: 'aws:sqs',
      eventSourceARN: orders,
      awsRegion: 'us-east-1',
    });
    assert.match(functions.environments.invoked[0]?.event.traceHeader ?? '', /^Root=1-5e34a614-/);
    assert.match(queue.authorizations[0] ?? '', /Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/sqs\//);
    queue.send(['three']);
    await queue.until(() => queue.bodies().length === 0);
    assert.deepEqual(bodiesOf().at(-1), ['three']);
    assert.equal(await resultOf(uuid), 'OK');
  });

  it('fill batches within their window, and never beyond what an invocation takes', async () => {
    queue.send(Array.from({ length: 25 }, (_each, index) => `m${index}`));
    await map({ BatchSize: 20, MaximumBatchingWindowInSeconds: 1 });
    await queue.until(() => queue.bodies().length === 0);
    assert.deepEqual(
      bodiesOf().map(({ length }) => length),
      [20, 5],
    );
    const large = 'x'.repeat(2_500_000);
    queue.send([large, large, large]);
    await queue.until(() => queue.bodies().length === 0);
    assert.deepEqual(
      bodiesOf()
        .slice(2)
        .map(({ length }) => length),
      [2, 1],
    );
  });

  it('never overtake messages of a FIFO queue that come again', async () => {
    const large = ['1', '2', '3'].map((name) => name.repeat(2_500_000));
    const outcomes: FunctionOutcome[] = [
      { kind: 'failed', payload: Buffer.from('{}'), errorType: 'Error' },
    ];
    functions.environments.answer(
      () => outcomes.pop() ?? { kind: 'response', payload: Buffer.from('null') },
    );
    queue.send(large);
    await map({ EventSourceArn: fifo });
    await queue.until(() => queue.waiting() > 0);
    assert.equal(queue.bodies().length, 3);
    queue.release();
    await queue.until(() => queue.bodies().length === 0);
    const names = bodiesOf().map((bodies) => bodies.map((body) => body.charAt(0)).join(''));
    assert.deepEqual(names, ['12', '12', '3']);
  });

  it('leave the messages of a failed invocation in the queue', async () => {
    answers({ kind: 'failed', payload: Buffer.from('{}'), errorType: 'Error' });
    queue.send(['one']);
    const uuid = await map();
    await queue.until(() => functions.environments.invoked.length === 1);
    queue.send(['two']);
    await queue.until(() => functions.environments.invoked.length === 2);
    assert.deepEqual(queue.bodies(), ['one', 'two']);
    assert.equal(await resultOf(uuid), 'PROBLEM: Function call failed');
    answers({ kind: 'response', payload: Buffer.from('null') });
    queue.release();
    await queue.until(() => queue.bodies().length === 0);
    assert.equal(faults.length, 0);
  });

  const reports: readonly [what: string, response: string, left: readonly string[]][] = [
    ['the one that is named', '{"batchItemFailures":[{"itemIdentifier":"m-2"}]}', ['two']],
    ['none where none is named', '{"batchItemFailures":[]}', []],
    ['none after an empty response', 'null', []],
    [
      'all where an unknown one is named',
      '{"batchItemFailures":[{"itemIdentifier":"x"}]}',
      ['one', 'two', 'three'],
    ],
    [
      'all where the name is empty',
      '{"batchItemFailures":[{"itemIdentifier":""}]}',
      ['one', 'two', 'three'],
    ],
    ['all where the response is no list', '{"batchItemFailures":1}', ['one', 'two', 'three']],
  ];
  for (const [what, response, left] of reports) {
    it(`leave ${what} in the queue, if the function reports failures`, async () => {
      answers({ kind: 'response', payload: Buffer.from(response) });
      queue.send(['one', 'two', 'three']);
      await map({ FunctionResponseTypes: ['ReportBatchItemFailures'] });
      await queue.until(
        () => functions.environments.invoked.length === 1 && queue.bodies().length === left.length,
      );
      // What is left over of the next batch shows that nothing more of the first is deleted.
      answers({ kind: 'response', payload: Buffer.from('null') });
      queue.send(['last']);
      await queue.until(() => functions.environments.invoked.length === 2);
      await queue.until(() => !queue.bodies().includes('last'));
      assert.deepEqual(queue.bodies(), left);
    });
  }

  it('leave both copies of a failed message that was delivered twice', async () => {
    const failures = '{"batchItemFailures":[{"itemIdentifier":"m-1"}]}';
    answers({ kind: 'response', payload: Buffer.from(failures) });
    queue.send(['one', 'one', 'two'], { MessageId: 'm-1' });
    queue.send(['three']);
    await map({ FunctionResponseTypes: ['ReportBatchItemFailures'] });
    await queue.until(() => !queue.bodies().includes('three'));
    assert.deepEqual(queue.bodies(), ['one', 'one', 'two']);
  });

  it('leave messages that the filters would take too long to compare', async () => {
    const list = JSON.stringify({ a: Array.from({ length: 50_000 }, () => '') });
    queue.send([list, '{"a":["b"]}']);
    const rules = Array.from({ length: 130 }, () => ({ 'equals-ignore-case': 'b' }));
    const Pattern = JSON.stringify({ body: { a: rules } });
    const uuid = await map({ FilterCriteria: { Filters: [{ Pattern }] } });
    await queue.until(() => queue.bodies().length === 1);
    assert.deepEqual(queue.bodies(), [list]);
    assert.deepEqual(bodiesOf(), [['{"a":["b"]}']]);
    assert.match(String(await resultOf(uuid)), /too many values for the filters/);
  });

  it('delete messages that no filter matches', async () => {
    const body = (value: unknown): string => JSON.stringify(value);
    queue.send([body({ kind: 'order' }), body({ kind: 'offer' }), 'plain', body(['order'])]);
    await map({ FilterCriteria: { Filters: [{ Pattern: '{"body":{"kind":["order"]}}' }] } });
    await queue.until(() => queue.bodies().length === 0);
    assert.deepEqual(bodiesOf(), [[body({ kind: 'order' })]]);
  });

  it('match the text of messages that are no JSON', async () => {
    queue.send(['plain text', '{"a":1}', 'other']);
    await map({ FilterCriteria: { Filters: [{ Pattern: '{"body":[{"prefix":"plain"}]}' }] } });
    await queue.until(() => queue.bodies().length === 0);
    assert.deepEqual(bodiesOf(), [['plain text']]);
  });

  it('run no more invocations at once than they may', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    functions.environments.answer(async () => {
      running += 1;
      most = Math.max(most, running);
      if (running === 2) resolve();
      await promise;
      running -= 1;
      return { kind: 'response', payload: Buffer.from('null') };
    });
    queue.send(['1', '2', '3', '4', '5', '6']);
    await map({ BatchSize: 1, ScalingConfig: { MaximumConcurrency: 2 } });
    await queue.until(() => queue.bodies().length === 0);
    assert.equal(most, 2);
  });

  it('receive nothing while they are disabled', async () => {
    const uuid = await map();
    await queue.until(() => queue.waiting() === 1);
    await functions.call('UpdateEventSourceMapping', { UUID: uuid, Enabled: false });
    await queue.until(() => queue.waiting() === 0);
    queue.send(['one']);
    await map({ FunctionName: 'fn:live', FilterCriteria: { Filters: [{ Pattern: '{"x":[1]}' }] } });
    await queue.until(() => queue.bodies().length === 0);
    assert.equal(functions.environments.invoked.length, 0);
  });

  it('say that the queue does not answer, and go on once it does', async () => {
    queue.answer(500);
    const uuid = await map();
    await queue.until(() => queue.authorizations.length >= 3);
    assert.equal(await resultOf(uuid), 'PROBLEM: The queue answered ReceiveMessage with 500.');
    queue.answer(200);
    queue.send(['one']);
    await queue.until(() => queue.bodies().length === 0);
    assert.deepEqual(bodiesOf(), [['one']]);
  });

  it('pause where the queue answers at once that it is empty', async () => {
    await pollers.close();
    openPollers(50);
    queue.answer(200, '{}');
    const start = performance.now();
    await map();
    await queue.until(() => queue.authorizations.length >= 4);
    assert.ok(performance.now() - start >= 140);
  });

  it('do not quote what the queue answers', async () => {
    queue.answer(200, 'secret');
    const uuid = await map();
    await queue.until(() => queue.authorizations.length >= 2);
    assert.doesNotMatch(String(await resultOf(uuid)), /secret/);
  });

  it('are polled by the home of their function alone', async () => {
    await functions.create('other');
    homes.own('other');
    queue.send(['1', '2', '3', '4', '5', '6']);
    await map({ BatchSize: 1 });
    await map({ FunctionName: 'other', BatchSize: 1 });
    await queue.until(() => queue.bodies().length === 0);
    const invoked = (): string[] =>
      functions.environments.invoked.map(({ event }) => event.functionArn);
    assert.deepEqual(
      invoked(),
      Array.from({ length: 6 }, () => arnOf('other')),
    );
    await queue.until(() => queue.waiting() === 1);
    const before = queue.authorizations.length;
    homes.own('fn');
    await queue.until(() => queue.authorizations.length > before && queue.waiting() === 1);
    queue.send(['7']);
    await queue.until(() => queue.bodies().length === 0);
    assert.equal(invoked().at(-1), arnOf('fn'));
  });

  it('say that their function is gone, and go on once it is there again', async () => {
    const uuid = await map();
    await functions.call('DeleteFunction', { FunctionName: 'fn' });
    queue.send(['one']);
    await queue.until(() => queue.received.length >= 1);
    queue.release();
    await queue.until(() => queue.received.length >= 2);
    assert.equal(await resultOf(uuid), 'PROBLEM: Function not found');
    assert.deepEqual(queue.bodies(), ['one']);
    await functions.create('fn');
    queue.release();
    await queue.until(() => {
      if (queue.bodies().length > 0) queue.release();
      return queue.bodies().length === 0;
    });
    // It is received again while it is being processed.
    assert.deepEqual([...new Set(bodiesOf().flat())], ['one']);
  });

  it('survive a restart', async () => {
    await map();
    await queue.until(() => queue.waiting() === 1);
    await pollers.close();
    // The queue must not answer the request that has ended.
    await queue.until(() => queue.waiting() === 0);
    queue.send(['one']);
    openPollers();
    await queue.until(() => queue.bodies().length === 0);
    assert.deepEqual(bodiesOf(), [['one']]);
  });
});
