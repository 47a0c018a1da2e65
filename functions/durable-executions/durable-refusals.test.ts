import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused } from '../testing/assert-refused.ts';
import { arnOf, type TestResponse } from '../testing/test-functions.ts';
import { createDurableCalls, type DurableCalls } from './testing/durable-calls.ts';
import { pending, setPrograms, succeeded, type Started } from './testing/durable-programs.ts';

const staleToken =
  'Invalid Checkpoint Token: it was already used, or the execution continues elsewhere or has ended.';
const noSuch = 'Durable Execution does not exist';
const wait = {
  Id: 'w',
  Type: 'WAIT',
  Action: 'START',
  WaitOptions: { WaitSeconds: 1 },
} as const;
const callback = { Id: 'c', Type: 'CALLBACK', Action: 'START' } as const;

describe('durable executions refuse', () => {
  let calls: DurableCalls;
  before(async () => {
    calls = await createDurableCalls();
    await calls.functions.create('long', { DurableConfig: { ExecutionTimeout: 901 } });
  });
  after(() => calls.functions.close());

  it('to be waited for when that could take longer than anybody waits', async () => {
    assertRefused(
      await calls.invoke({ FunctionName: 'long:$LATEST' }),
      'InvalidParameterValueException',
      'You cannot synchronously invoke a durable function with an executionTimeout greater than 15 minutes.',
    );
    const arn = await calls.begin({ FunctionName: 'long:$LATEST' });
    assert.match(arn, /:function:long:\$LATEST\/durable-execution\//);
    await calls.stop(arn);
  });

  it('a name where there is no execution to have it', async () => {
    assertRefused(
      await calls.invoke({ FunctionName: 'plain', DurableExecutionName: 'one' }),
      'InvalidParameterValueException',
      /requires a durable function/,
    );
  });

  it('a name that began with another event', async () => {
    await calls.stop(await calls.begin({ DurableExecutionName: 'taken', Payload: '{"a":1}' }));
    assertRefused(
      await calls.invoke({ DurableExecutionName: 'taken', Payload: '{"a":2}' }),
      'DurableExecutionAlreadyStartedException',
      /named taken already/,
    );
  });

  it('an event that is too large for later', async () => {
    assertRefused(
      await calls.invoke({
        InvocationType: 'Event',
        Payload: JSON.stringify('x'.repeat(1_048_576)),
      }),
      'RequestEntityTooLargeException',
      /smaller than 1048576 bytes/,
    );
  });

  it('ARNs of executions that are not there, and such as are none', async () => {
    const missing = `${arnOf('durable')}:1/durable-execution/none/none`;
    for (const operation of [
      'GetDurableExecution',
      'GetDurableExecutionHistory',
      'StopDurableExecution',
    ]) {
      assertRefused(
        await calls.call(operation, { DurableExecutionArn: missing }),
        'ResourceNotFoundException',
        noSuch,
      );
      const none = await calls.call(operation, { DurableExecutionArn: arnOf('durable') });
      assertRefused(none, 'ValidationException', /at 'durableExecutionArn' failed to satisfy/);
    }
  });

  it('tokens that are not of the run under way', async () => {
    const asked: Started[] = [];
    setPrograms(calls.functions, {
      durable: async (started) => {
        asked.push(started);
        const first = await started.checkpoint([wait]);
        assert.equal(first.status, 200, first.text);
        return pending;
      },
    });
    const arn = await calls.begin();
    await calls.run();
    const [{ token } = { token: '' }] = asked;
    const nonsense = ['A', token, token.replace(/.$/, '9'), 'f'.repeat(token.length)];
    for (const CheckpointToken of nonsense) {
      const input = { DurableExecutionArn: arn, CheckpointToken };
      for (const operation of ['CheckpointDurableExecution', 'GetDurableExecutionState']) {
        const answer = await calls.call(operation, input);
        assertRefused(answer, 'InvalidParameterValueException', staleToken);
      }
    }
    await calls.stop(arn);
  });

  it('a token for the second time, and nothing of what came with it is retained', async () => {
    let second: TestResponse | undefined;
    let broken: TestResponse | undefined;
    setPrograms(calls.functions, {
      durable: async ({ arn, token, checkpoint }) => {
        await checkpoint();
        second = await calls.call('CheckpointDurableExecution', {
          DurableExecutionArn: arn,
          CheckpointToken: token,
          Updates: [wait],
        });
        broken = await checkpoint([callback, { ...wait, WaitOptions: {} }]);
        return succeeded(1);
      },
    });
    const arn = await calls.begin();
    await calls.run();
    assert.ok(second && broken);
    assertRefused(second, 'InvalidParameterValueException', staleToken);
    assertRefused(broken, 'InvalidParameterValueException', 'A wait requires WaitSeconds.');
    assert.deepEqual(await calls.typesOf(arn), [
      'ExecutionStarted',
      'InvocationCompleted',
      'ExecutionSucceeded',
    ]);
  });

  it('callbacks that are not there or over', async () => {
    for (const end of ['Success', 'Failure', 'Heartbeat']) {
      assertRefused(
        await calls.call(`SendDurableExecutionCallback${end}`, { CallbackId: 'none' }),
        'InvalidParameterValueException',
        'Callback not found.',
      );
    }
  });

  it('lists of what is not there, and nonsense', async () => {
    const list = (given: object): Promise<TestResponse> =>
      calls.call('ListDurableExecutionsByFunction', { FunctionName: 'durable', ...given });
    assertRefused(
      await list({ FunctionName: 'missing' }),
      'ResourceNotFoundException',
      `Function not found: ${arnOf('missing')}`,
    );
    assertRefused(await list({ Marker: 'x' }), 'InvalidParameterValueException', /Invalid marker/);
    assertRefused(
      await list({ StartedAfter: 'yesterday' }),
      'SerializationException',
      "'yesterday' can not be converted to Date",
    );
    assertRefused(await list({ Statuses: ['DONE'] }), 'ValidationException', /at 'statuses'/);
    assertRefused(await list({ MaxItems: 1001 }), 'ValidationException', /at 'maxItems'/);
  });

  it('to be stopped once they have ended', async () => {
    setPrograms(calls.functions, { durable: async () => succeeded(1) });
    const DurableExecutionArn = await calls.begin();
    await calls.run();
    assertRefused(
      await calls.stop(DurableExecutionArn),
      'InvalidParameterValueException',
      'The durable execution has already ended with status SUCCEEDED.',
    );
  });
});
