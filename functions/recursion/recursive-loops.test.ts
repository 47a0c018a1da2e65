import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { invocationsOfChainMax } from '#functions-contract/limits.ts';

import { assertRefused } from '../testing/assert-refused.ts';
import {
  arnOf,
  createTestFunctions,
  type TestResponse,
  type TestFunctions,
} from '../testing/test-functions.ts';

const queue = 'arn:aws:sqs:us-east-1:123456789012:failed';
const other = 'arn:aws:sqs:us-east-1:123456789012:reported';
const refusal = /Recursive loop: .* RecursiveLoop to Allow/;

describe('recursive loops', () => {
  let service: TestFunctions;
  let inbox = '';
  beforeEach(async () => {
    inbox = await mkdtemp(join(tmpdir(), 'hob-loops-'));
    service = await createTestFunctions({
      configured: {
        targets: new Map([
          [queue, { kind: 'folder', folder: inbox }],
          [other, { kind: 'folder', folder: inbox }],
        ]),
      },
    });
  });
  afterEach(async () => {
    await service.close();
    await rm(inbox, { recursive: true, force: true });
  });

  const runs = (name: string): number =>
    service.environments.invoked.filter(({ spec }) => spec.functionName === name).length;
  const carried = (): string => service.environments.invoked.at(-1)?.event.traceHeader ?? '';

  /** As AWS's clients do it inside a function: with the header that the function was given. */
  function invokeAs(header: string, name: string, type = 'RequestResponse'): Promise<TestResponse> {
    return service.send({
      method: 'POST',
      target: `/2015-03-31/functions/${name}/invocations`,
      headers: { 'x-amzn-trace-id': header, 'x-amz-invocation-type': type },
      body: '{"a":1}',
    });
  }

  /** Goes round through these functions so often, each invoked by the one before it. */
  async function goRound(names: readonly string[], rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      for (const name of names) assert.equal((await invokeAs(carried(), name)).status, 200);
    }
  }

  const allow = (FunctionName: string): Promise<TestResponse> =>
    service.call('PutFunctionRecursionConfig', { FunctionName, RecursiveLoop: 'Allow' });

  async function letters(): Promise<{ body: string; attributes: Record<string, unknown> }[]> {
    const names = await readdir(inbox);
    return Promise.all(
      names.map(async (name) => JSON.parse(await readFile(join(inbox, name), 'utf8'))),
    );
  }

  it('are ended at the seventeenth invocation, whatever version they go through', async () => {
    await service.create('f', { Publish: true });
    await goRound(['f', 'f:1'], invocationsOfChainMax / 2);
    for (const name of ['f', 'f:1']) {
      assertRefused(await invokeAs(carried(), name), 'RecursiveInvocationException', refusal);
    }
    const streamed = await service.send({
      method: 'POST',
      target: '/2021-11-15/functions/f/response-streaming-invocations',
      headers: { 'x-amzn-trace-id': carried() },
      body: '{}',
    });
    assertRefused(streamed, 'RecursiveInvocationException', refusal);
    assert.equal(runs('f'), invocationsOfChainMax);
    // Another chain is none of theirs.
    assert.equal((await service.call('Invoke', { FunctionName: 'f' })).status, 200);
  });

  it('are ended where they began when they go through several functions', async () => {
    for (const name of ['f', 'g', 'h']) await service.create(name);
    await goRound(['f', 'g', 'h'], invocationsOfChainMax);
    const header = carried();
    for (const name of ['f', 'g', 'h']) {
      assertRefused(await invokeAs(header, name), 'RecursiveInvocationException', refusal);
    }
    await service.create('i');
    assert.equal((await invokeAs(header, 'i')).status, 200);
  });

  it('are ended when their functions are traced, too', async () => {
    await service.create('f', { TracingConfig: { Mode: 'Active' } });
    await goRound(['f'], invocationsOfChainMax);
    assertRefused(await invokeAs(carried(), 'f'), 'RecursiveInvocationException', refusal);
  });

  it('run on where they are allowed, from the next invocation on', async () => {
    await service.create('f');
    await service.create('g');
    await goRound(['f'], invocationsOfChainMax);
    assertRefused(await invokeAs(carried(), 'f'), 'RecursiveInvocationException', refusal);
    await allow('f');
    await goRound(['f'], 2 * invocationsOfChainMax);
    // What is allowed to one is not to the others.
    await goRound(['g', 'f'], invocationsOfChainMax);
    assertRefused(await invokeAs(carried(), 'g'), 'RecursiveInvocationException', refusal);
  });

  it('are another function’s after one was deleted and its name taken', async () => {
    await service.create('f');
    await goRound(['f'], invocationsOfChainMax);
    await service.call('DeleteFunction', { FunctionName: 'f' });
    await service.create('f');
    assert.equal((await invokeAs(carried(), 'f')).status, 200);
  });

  it('of events are ended in the dead-letter queue and the destination, without a retry', async () => {
    await service.create('f', { DeadLetterConfig: { TargetArn: queue } });
    await service.call('PutFunctionEventInvokeConfig', {
      FunctionName: 'f',
      DestinationConfig: { OnFailure: { Destination: other } },
    });
    await goRound(['f'], invocationsOfChainMax);
    const answer = await invokeAs(carried(), 'f', 'Event');
    assert.equal(answer.status, 202);
    await service.ports.events.poll();
    assert.equal(runs('f'), invocationsOfChainMax);
    const [letter, record] = (await letters()).toSorted((one, two) =>
      one.body.localeCompare(two.body),
    );
    assert.equal(letter?.body, '{"a":1}');
    assert.deepEqual(letter.attributes['ErrorCode'], { type: 'Number', value: '400' });
    assert.match(JSON.stringify(letter.attributes['ErrorMessage']), refusal);
    const { requestContext, responsePayload } = JSON.parse(record?.body ?? '');
    assert.deepEqual(requestContext, {
      requestId: answer.headers['x-amzn-requestid'],
      functionArn: `${arnOf('f')}:$LATEST`,
      condition: 'RecursiveInvocation',
      approximateInvokeCount: 0,
    });
    assert.equal(responsePayload, undefined);
    await service.ports.events.poll();
    assert.equal((await letters()).length, 2);
  });

  it('of destinations are ended', async () => {
    // The records of destinations hold what the function was given and what it answered.
    service.environments.answer(() => ({ kind: 'response', payload: Buffer.from('{}') }));
    for (const name of ['f', 'g']) await service.create(name);
    for (const [FunctionName, next] of [
      ['f', 'g'],
      ['g', 'f'],
    ] as const) {
      await service.call('PutFunctionEventInvokeConfig', {
        FunctionName,
        DestinationConfig: { OnSuccess: { Destination: arnOf(next) } },
      });
    }
    await service.call('Invoke', { FunctionName: 'f', InvocationType: 'Event' });
    for (let count = 0; count < 3 * invocationsOfChainMax; count += 1) {
      await service.ports.events.poll();
    }
    assert.equal(runs('f'), invocationsOfChainMax);
    assert.equal(runs('g'), invocationsOfChainMax);
  });

  it('of events run on where they are allowed', async () => {
    await service.create('f', { DeadLetterConfig: { TargetArn: queue } });
    await allow('f');
    await goRound(['f'], invocationsOfChainMax);
    await invokeAs(carried(), 'f', 'Event');
    await service.ports.events.poll();
    assert.equal(runs('f'), invocationsOfChainMax + 1);
    assert.deepEqual(await letters(), []);
  });

  it('do not count the retries of an event', async () => {
    await service.create('f');
    await goRound(['f'], invocationsOfChainMax - 1);
    const before = carried();
    service.environments.answer(() => ({
      kind: 'failed',
      errorType: 'Error',
      payload: Buffer.from('{}'),
    }));
    await invokeAs(before, 'f', 'Event');
    await service.ports.events.poll();
    assert.equal(runs('f'), invocationsOfChainMax + 2);
    const headers = service.environments.invoked.slice(-3).map(({ event }) => event.traceHeader);
    assert.equal(new Set(headers).size, 1);
  });
});
