import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import {
  DeleteFunctionCommand,
  GetFunctionCommand,
  ListFunctionsCommand,
  ListVersionsByFunctionCommand,
  PublishVersionCommand,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionExists,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';

import { zipOf } from '#functions/code/testing/zip-of.ts';

import { type FunctionService, startFunctionService } from './function-service.ts';
import { nodeProbe, pythonProbe } from './probe-functions.ts';

/** What a new user does with functions, by the AWS SDK against a real server. */
describe('functions', { concurrency: 4 }, () => {
  let service: FunctionService;
  before(async () => {
    service = await startFunctionService();
  });
  after(() => service.stop());

  test('a Node function is created, invoked, fails and is read', async () => {
    await service.create('node', { 'index.mjs': nodeProbe }, { MemorySize: 512 });
    const inside = await service.invoke('node', { do: 'context' });
    assert.equal(inside.error, undefined);
    assert.equal(inside.value.functionName, 'node');
    assert.equal(inside.value.memoryLimitInMB, '512');
    assert.equal(inside.version, '$LATEST');
    const output = await service.invoke('node', { do: 'log', lines: [['warn', 'take care']] });
    assert.match(
      output.log,
      /^START RequestId: (\S+) Version: \$LATEST\n\S+Z\t\1\tWARN\ttake care\nEND RequestId: \1\nREPORT RequestId: \1\tDuration: /,
    );
    const failed = await service.invoke('node', { do: 'fail', message: 'no good' });
    assert.equal(failed.error, 'Unhandled');
    assert.equal(failed.value.errorType, 'TypeError');
    assert.equal(failed.value.errorMessage, 'no good');
    assert.ok(Array.isArray(failed.value.trace));
    const gone = await service.invoke('node', { do: 'exit', status: 7 });
    assert.equal(gone.error, 'Unhandled');
    assert.equal(gone.value.errorType, 'Runtime.ExitError');
    assert.match(gone.value.errorMessage, /Runtime exited with error: exit status 7$/);
    assert.equal((await service.invoke('node', { do: 'count' })).value, 1);
  });

  test('a Python function is made, invoked and fails', async () => {
    const settings = { Runtime: 'python3.13', Handler: 'lambda_function.handler' } as const;
    await service.create('python', { 'lambda_function.py': pythonProbe }, settings);
    const { value } = await service.invoke('python', { text: 'grüße' });
    assert.deepEqual(value.event, { text: 'grüße' });
    assert.equal(value.runtime, 'AWS_Lambda_python3.13');
    const output = await service.invoke('python', { do: 'log' });
    assert.match(output.log, /\nprinted\n\[ERROR\]\t\S+Z\t\S+\tlogged\n/);
    const failed = await service.invoke('python', { do: 'fail', message: 'no good' });
    assert.equal(failed.error, 'Unhandled');
    assert.equal(failed.value.errorType, 'KeyError');
    assert.equal(failed.value.errorMessage, "'no good'");
    const gone = await service.invoke('python', { do: 'exit', status: 1 });
    assert.match(gone.value.errorMessage, /exit status 1$/);
    assert.equal((await service.invoke('python')).value.count, 1);
  });

  test('while updates go on, every invocation has wholly the old or wholly the new', async () => {
    const source = `export const handler = async () => [process.env.ONE, process.env.TWO, process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE];`;
    const settings = (round: number): object => ({
      MemorySize: 1024 + round,
      Environment: { Variables: { ONE: `${round}`, TWO: `${round}` } },
    });
    await service.create('busy', { 'index.mjs': source }, settings(0));
    let applied = 0;
    const going = new AbortController();
    let calls = 0;
    const caller = async (): Promise<void> => {
      while (!going.signal.aborted) {
        const from = applied;
        const { error, value } = await service.invoke('busy');
        assert.equal(error, undefined, JSON.stringify(value));
        const [one, two, memory] = value;
        assert.equal(one, two);
        assert.equal(Number(memory), 1024 + Number(one));
        assert.ok(Number(one) >= from, `update ${from} was applied, and ${one} answered`);
        calls += 1;
      }
    };
    const callers = [caller(), caller(), caller()];
    const updates = async (): Promise<void> => {
      try {
        for (let round = 1; round <= 4; round += 1) {
          await service.update('busy', settings(round));
          applied = round;
        }
      } finally {
        going.abort();
      }
    };
    await Promise.all([updates(), ...callers]);
    assert.ok(calls > 10);
  });

  test('an invocation under way ends with what it began with', async () => {
    await service.create('slow', { 'index.mjs': nodeProbe });
    const underWay = service.invoke('slow', { do: 'sleep', milliseconds: 700 });
    await service.update('slow', { Handler: 'index.other' });
    assert.equal((await service.invoke('slow')).value, 'the other handler');
    assert.equal((await underWay).value, null);
  });

  test('code is updated, versions are published and stay what they were', async () => {
    const source = (response: string): string =>
      `export const handler = async () => '${response}';`;
    await service.create('versions', { 'index.mjs': source('first') });
    const { client } = service;
    const FunctionName = 'versions';
    const first = await client.send(new PublishVersionCommand({ FunctionName }));
    assert.equal(first.Version, '1');
    const ZipFile = zipOf({ 'index.mjs': source('second') });
    await client.send(new UpdateFunctionCodeCommand({ FunctionName, ZipFile }));
    await waitUntilFunctionUpdatedV2({ client, maxWaitTime: 20, minDelay: 0.05 }, { FunctionName });
    assert.equal((await service.invoke('versions')).value, 'second');
    const old = await service.invoke('versions', {}, { Qualifier: '1' });
    assert.equal(old.value, 'first');
    assert.equal(old.version, '1');
    const { Versions } = await client.send(new ListVersionsByFunctionCommand({ FunctionName }));
    assert.deepEqual(
      Versions?.map(({ Version }) => Version),
      ['$LATEST', '1'],
    );
  });

  test('of many updates of one revision one wins', async () => {
    const FunctionName = 'contended';
    await service.create(FunctionName, { 'index.mjs': nodeProbe });
    const { RevisionId } = await service.configuration(FunctionName);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        service.client.send(
          new UpdateFunctionConfigurationCommand({
            FunctionName,
            RevisionId,
            Description: `by ${index}`,
          }),
        ),
      ),
    );
    const won = outcomes.filter(({ status }) => status === 'fulfilled');
    assert.equal(won.length, 1);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      assert.match(outcome.reason.name, /^(PreconditionFailed|ResourceConflict)Exception$/);
    }
  });

  test('a deleted function is gone, and its name is free', async () => {
    const { client } = service;
    const FunctionName = 'short-lived';
    await service.create(FunctionName, { 'index.mjs': nodeProbe });
    await waitUntilFunctionExists({ client, maxWaitTime: 5, minDelay: 0.05 }, { FunctionName });
    const { Code } = await client.send(new GetFunctionCommand({ FunctionName }));
    assert.equal((await fetch(Code?.Location ?? '')).status, 200);
    await client.send(new DeleteFunctionCommand({ FunctionName }));
    await assert.rejects(service.invoke(FunctionName), { name: 'ResourceNotFoundException' });
    const { Functions } = await client.send(new ListFunctionsCommand({}));
    assert.ok(!Functions?.some((listed) => listed.FunctionName === FunctionName));
    await service.create(FunctionName, { 'index.mjs': nodeProbe });
    assert.equal((await service.invoke(FunctionName, { do: 'count' })).value, 1);
  });
});
