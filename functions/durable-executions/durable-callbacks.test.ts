import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused } from '../testing/assert-refused.ts';
import { type TestResponse } from '../testing/test-functions.ts';
import { createDurableCalls, type DurableCalls } from './testing/durable-calls.ts';
import { pending, setPrograms, succeeded } from './testing/durable-programs.ts';

const callback = { Id: 'c', Type: 'CALLBACK', Action: 'START' } as const;

describe('callbacks of durable executions', () => {
  let calls: DurableCalls;
  before(async () => {
    calls = await createDurableCalls();
  });
  after(() => calls.functions.close());

  const waiting = async (options = {}): Promise<{ arn: string; CallbackId: string }> => {
    let CallbackId = '';
    setPrograms(calls.functions, {
      durable: async ({ operation, checkpoint }) => {
        const known = operation('c');
        if (known) return succeeded([known.Status, known.CallbackDetails]);
        await checkpoint([{ ...callback, CallbackOptions: options }]);
        ({ CallbackId } = operation('c').CallbackDetails);
        return pending;
      },
    });
    const arn = await calls.begin();
    await calls.run();
    assert.match(CallbackId, /^[A-Za-z0-9+/]+={0,2}$/);
    return { arn, CallbackId };
  };
  const resultOf = async (arn: string): Promise<TestResponse['body']> => {
    await calls.run();
    return JSON.parse((await calls.reportedOperations(arn)).Result);
  };

  it('are answered once', async () => {
    const { arn, CallbackId } = await waiting();
    const answer = await calls.call('SendDurableExecutionCallbackSuccess', {
      CallbackId,
      Result: '"yes"',
    });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(await resultOf(arn), ['SUCCEEDED', { CallbackId, Result: '"yes"' }]);
    for (const end of ['Success', 'Failure', 'Heartbeat']) {
      assertRefused(
        await calls.call(`SendDurableExecutionCallback${end}`, { CallbackId }),
        'CallbackTimeoutException',
        'The callback is already completed, has timed out, or its execution has ended.',
      );
    }
  });

  it('report a failed callback', async () => {
    const { arn, CallbackId } = await waiting();
    const Error = { ErrorType: 'Refused', ErrorMessage: 'no' };
    await calls.fail(CallbackId, Error);
    assert.deepEqual(await resultOf(arn), ['FAILED', { CallbackId, Error }]);
  });

  it('are given up in time, and live longer with each sign of life', async () => {
    const { arn, CallbackId } = await waiting({ TimeoutSeconds: 9, HeartbeatTimeoutSeconds: 4 });
    for (const _ of [1, 2]) {
      await calls.later(3000);
      const alive = await calls.call('SendDurableExecutionCallbackHeartbeat', { CallbackId });
      assert.equal(alive.status, 200, alive.text);
    }
    assert.equal((await calls.reportedOperations(arn)).Status, 'RUNNING');
    await calls.later(3000);
    const [status, details] = await resultOf(arn);
    assert.equal(status, 'TIMED_OUT');
    assert.equal(details.Error.ErrorType, 'Callback.Timeout');
    const silent = await waiting({ HeartbeatTimeoutSeconds: 4 });
    calls.functions.clock.advance(4000);
    // Too late, although no one has looked yet.
    assertRefused(
      await calls.call('SendDurableExecutionCallbackSuccess', { CallbackId: silent.CallbackId }),
      'CallbackTimeoutException',
      /has timed out/,
    );
    assert.equal((await resultOf(silent.arn))[1].Error.ErrorType, 'Callback.Heartbeat');
  });

  it('resume the execution, whatever sign of life another one gives before that', async () => {
    for (const options of [{}, { HeartbeatTimeoutSeconds: 60 }]) {
      const callbackIds: string[] = [];
      setPrograms(calls.functions, {
        durable: async ({ operation, checkpoint, ids }) => {
          if (ids.length > 0) return succeeded(operation('c').Status);
          await checkpoint([callback, { ...callback, Id: 'alive', CallbackOptions: options }]);
          for (const id of ['c', 'alive'])
            callbackIds.push(operation(id).CallbackDetails.CallbackId);
          return pending;
        },
      });
      const arn = await calls.begin();
      await calls.run();
      const [CallbackId, alive] = callbackIds;
      await calls.call('SendDurableExecutionCallbackSuccess', { CallbackId });
      const heartbeat = { CallbackId: alive };
      await calls.call('SendDurableExecutionCallbackHeartbeat', heartbeat);
      assert.equal(await resultOf(arn), 'SUCCEEDED');
    }
  });

  it('may all be answered at once, while the program says something', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `c${index}`);
    setPrograms(calls.functions, {
      durable: async ({ operation, checkpoint, ids: known }) => {
        if (known.length > 0) return succeeded(ids.map((id) => operation(id).Status));
        await checkpoint(ids.map((Id) => ({ ...callback, Id })));
        const answers = await Promise.all([
          ...ids.map((id) => {
            const { CallbackId } = operation(id).CallbackDetails;
            return calls.call('SendDurableExecutionCallbackSuccess', { CallbackId, Result: '1' });
          }),
          checkpoint([{ Id: 's', Type: 'STEP', Action: 'SUCCEED' }]),
        ]);
        for (const answer of answers) assert.equal(answer.status, 200, answer.text);
        return pending;
      },
    });
    const arn = await calls.begin();
    await calls.run();
    const { Result } = await calls.reportedOperations(arn);
    assert.deepEqual(
      JSON.parse(Result),
      ids.map(() => 'SUCCEEDED'),
    );
    const numbers = (await calls.eventsOf(arn)).map(({ EventId }) => EventId);
    assert.deepEqual(
      numbers,
      numbers.map((_number, index) => index + 1),
    );
  });
});
