import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { FunctionOutcome } from '../environments/execution-environment.ts';
import { createDurableCalls, type DurableCalls } from './testing/durable-calls.ts';
import { pending, type Started, setPrograms, succeeded } from './testing/durable-programs.ts';

const hour = 3_600_000;
const response: FunctionOutcome = { kind: 'response', payload: Buffer.from('1') };

describe('when the clock is set, durable executions', () => {
  let calls: DurableCalls;
  before(async () => {
    calls = await createDurableCalls();
    await calls.functions.create('long', { DurableConfig: { ExecutionTimeout: 86_400 } });
    // The time of an earlier poll shows that the clock was set back.
    await calls.run();
  });
  after(() => calls.functions.close());

  const statusOf = async (arn: string): Promise<string> =>
    (await calls.reportedOperations(arn)).Status;

  it('that are due run at once after a step back', async () => {
    setPrograms(calls.functions, { durable: async () => succeeded('done') });
    const arn = await calls.begin();
    await calls.later(-hour);
    assert.equal(await statusOf(arn), 'SUCCEEDED');
    await calls.later(hour);
  });

  it('that failed are retried after a step back', async () => {
    let runs = 0;
    const failsOnce = async (): Promise<FunctionOutcome> => {
      runs += 1;
      return runs === 1
        ? { kind: 'failed', errorType: 'Error', payload: Buffer.from('{}') }
        : { kind: 'response', payload: Buffer.from('{"Status":"SUCCEEDED"}') };
    };
    setPrograms(calls.functions, { durable: failsOnce }, ['durable']);
    const arn = await calls.begin();
    await calls.run();
    assert.equal(runs, 1);
    await calls.later(-hour);
    assert.equal(runs, 2);
    assert.equal(await statusOf(arn), 'SUCCEEDED');
    await calls.later(hour);
    assert.equal(runs, 2);
  });

  it('that wait go on at the time that their history shows', async () => {
    setPrograms(calls.functions, {
      durable: async ({ operation, checkpoint }) => {
        if (operation('w')?.Status === 'SUCCEEDED') return succeeded('waited');
        const WaitOptions = { WaitSeconds: 60 };
        await checkpoint([{ Id: 'w', Type: 'WAIT', Action: 'START', WaitOptions }]);
        return pending;
      },
    });
    const arn = await calls.begin();
    await calls.run();
    await calls.later(-hour);
    assert.equal(await statusOf(arn), 'RUNNING');
    await calls.later(hour + 59_999);
    assert.equal(await statusOf(arn), 'RUNNING');
    await calls.later(1);
    assert.equal(await statusOf(arn), 'SUCCEEDED');
  });

  /** A durable function that invokes `plain`, and returns the status of the invocation. */
  function invokePlain(plain: () => Promise<FunctionOutcome>): void {
    const program = async ({ operation, checkpoint }: Started): Promise<object> => {
      const invoked = operation('i');
      if (invoked) return succeeded(invoked.Status);
      const ChainedInvokeOptions = { FunctionName: 'plain' };
      await checkpoint([
        { Id: 'i', Type: 'CHAINED_INVOKE', Action: 'START', Payload: '{}', ChainedInvokeOptions },
      ]);
      return pending;
    };
    setPrograms(calls.functions, { durable: program, long: program, plain }, ['plain']);
  }

  it('retry invocations that were throttled after a step back', async () => {
    invokePlain(async () => response);
    const FunctionName = 'plain';
    await calls.call('PutFunctionConcurrency', { FunctionName, ReservedConcurrentExecutions: 0 });
    const arn = await calls.begin();
    await calls.run();
    await calls.call('DeleteFunctionConcurrency', { FunctionName });
    await calls.run();
    assert.equal(await statusOf(arn), 'RUNNING');
    await calls.later(-hour);
    assert.equal(await statusOf(arn), 'SUCCEEDED');
    await calls.later(hour);
  });

  it('invoke functions after a step forward although others run', { timeout: 60_000 }, async () => {
    let started = 0;
    let reached: (() => void) | undefined;
    const startsOf = (count: number): Promise<void> =>
      new Promise((resolve) => {
        reached = (): void => {
          if (started >= count) resolve();
        };
        reached();
      });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    invokePlain(async () => {
      started += 1;
      reached?.();
      await released;
      return response;
    });
    const FunctionName = 'long:$LATEST';
    const arns: string[] = [];
    // More than half of those of one function that run at once.
    for (let count = 0; count < 9; count += 1) arns.push(await calls.begin({ FunctionName }));
    const running = calls.run();
    await startsOf(9);
    calls.functions.clock.advance(hour);
    arns.push(await calls.begin({ FunctionName }));
    const next = calls.run();
    await startsOf(10);
    release();
    await Promise.all([running, next]);
    await calls.run();
    for (const arn of arns) assert.equal(await statusOf(arn), 'SUCCEEDED');
    assert.equal(started, 10, 'none was invoked twice');
  });
});
