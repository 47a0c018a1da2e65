import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused } from '../testing/assert-refused.ts';
import { createDurableCalls, type DurableCalls } from './testing/durable-calls.ts';
import { goOn, pending, setPrograms, succeeded } from './testing/durable-programs.ts';

const noSuch = 'Durable Execution does not exist';
const callback = { Id: 'c', Type: 'CALLBACK', Action: 'START' } as const;

describe('durable executions end', () => {
  let calls: DurableCalls;
  before(async () => {
    calls = await createDurableCalls();
  });
  after(() => calls.functions.close());

  const inactive = (): void =>
    setPrograms(calls.functions, {
      durable: async ({ checkpoint }) => {
        await checkpoint([callback]);
        return pending;
      },
    });

  it('when their time is over, with whatever they wait for', async () => {
    inactive();
    const invoked = calls.invoke();
    const answer = await goOn(calls.functions, invoked);
    assert.equal(answer.body.errorType, 'Execution.Timeout');
    const execution = await calls.reportedOperations(
      answer.headers['x-amz-durable-execution-arn'] ?? '',
    );
    assert.equal(execution.Status, 'TIMED_OUT');
    assert.ok(execution.EndTimestamp - execution.StartTimestamp >= 600);
  });

  it('when they are stopped, which is reported again with the same time', async () => {
    inactive();
    const arn = await calls.begin();
    await calls.run();
    const Error = { ErrorType: 'Enough', ErrorMessage: 'it was enough' };
    const stopped = await calls.stop(arn, Error);
    assert.equal(stopped.status, 200, stopped.text);
    calls.functions.clock.advance(5000);
    const again = await calls.stop(arn);
    assert.deepEqual(again.body, stopped.body);
    const execution = await calls.reportedOperations(arn);
    assert.equal(execution.Status, 'STOPPED');
    assert.deepEqual(execution.Error, Error);
    assert.equal((await calls.typesOf(arn)).at(-1), 'ExecutionStopped');
  });

  it('and are forgotten once their history was retained for as long as the function says', async () => {
    setPrograms(calls.functions, { durable: async () => succeeded(1) });
    const arn = await calls.begin();
    await calls.run();
    await calls.later(2 * 86_400_000 - 1000);
    assert.equal((await calls.reportedOperations(arn)).Status, 'SUCCEEDED');
    await calls.later(1000);
    const gone = await calls.call('GetDurableExecution', { DurableExecutionArn: arn });
    assertRefused(gone, 'ResourceNotFoundException', noSuch);
  });

  it('with their function', async () => {
    await calls.functions.create('brief', { DurableConfig: { ExecutionTimeout: 60 } });
    setPrograms(calls.functions, { brief: async () => succeeded(1) });
    const arn = await calls.begin({ FunctionName: 'brief:$LATEST' });
    await calls.call('DeleteFunction', { FunctionName: 'brief' });
    await calls.run();
    const gone = await calls.call('GetDurableExecution', { DurableExecutionArn: arn });
    assertRefused(gone, 'ResourceNotFoundException', noSuch);
  });

  it('as failed when their version was deleted', async () => {
    await calls.call('PublishVersion', { FunctionName: 'durable' });
    await calls.functions.untilProvisioned();
    inactive();
    const arn = await calls.begin({ FunctionName: 'durable:1' });
    assert.match(arn, /:function:durable:1\/durable-execution\//);
    await calls.call('DeleteFunction', { FunctionName: 'durable', Qualifier: '1' });
    await calls.run();
    assert.equal(
      (await calls.reportedOperations(arn)).Error.ErrorType,
      'ResourceNotFoundException',
    );
  });
});
