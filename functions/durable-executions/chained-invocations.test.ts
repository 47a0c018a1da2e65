import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type TestResponse } from '../testing/test-functions.ts';
import { createDurableCalls, type DurableCalls } from './testing/durable-calls.ts';
import { goOn, pending, setPrograms, succeeded, type Started } from './testing/durable-programs.ts';
import type { FunctionOutcome } from '../environments/execution-environment.ts';

const callback = { Id: 'c', Type: 'CALLBACK', Action: 'START' } as const;
const chained = (FunctionName: string, Payload = '{}') =>
  ({
    Id: 'i',
    Type: 'CHAINED_INVOKE',
    Action: 'START',
    Payload,
    ChainedInvokeOptions: { FunctionName },
  }) as const;

describe('invocations of other functions by durable executions', () => {
  let calls: DurableCalls;
  before(async () => {
    calls = await createDurableCalls();
  });
  after(() => calls.functions.close());

  const calling = async (...started: Parameters<typeof chained>): Promise<TestResponse> =>
    goOn(calls.functions, (programs({ started }), calls.invoke()));
  const programs = ({
    started,
    plain = async () => ({ kind: 'response', payload: Buffer.from('[1]') }),
    child = async ({ input }) => succeeded({ given: input }),
  }: {
    started: Parameters<typeof chained>;
    plain?: () => Promise<FunctionOutcome>;
    child?: (started: Started) => Promise<object>;
  }): void =>
    setPrograms(
      calls.functions,
      {
        durable: async ({ operation, checkpoint }) => {
          const known = operation('i');
          if (known) return succeeded([known.Status, known.ChainedInvokeDetails]);
          await checkpoint([chained(...started)]);
          return pending;
        },
        plain,
        child,
      },
      ['plain'],
    );

  it('that are not there, or cannot be invoked so, fail', async () => {
    for (const [name, type] of [
      ['missing', 'ResourceNotFoundException'],
      ['child', 'InvalidParameterValueException'],
    ] as const) {
      const [status, details] = (await calling(name)).body;
      assert.equal(status, 'FAILED');
      assert.equal(details.Error.ErrorType, type);
    }
  });

  it('run them, and have their results and errors', async () => {
    assert.deepEqual((await calling('plain')).body, ['SUCCEEDED', { Result: '[1]' }]);
    const report = { errorType: 'TypeError', errorMessage: 'no good' };
    const payload = Buffer.from(JSON.stringify(report));
    programs({
      started: ['plain'],
      plain: async () => ({ kind: 'failed', errorType: 'TypeError', payload }),
    });
    const failed = await goOn(calls.functions, calls.invoke());
    assert.deepEqual(failed.body, [
      'FAILED',
      { Error: { ErrorType: 'TypeError', ErrorMessage: 'no good' } },
    ]);
  });

  it('that are durable begin executions of their own', async () => {
    const answer = await calling('child:$LATEST', '{"n":7}');
    assert.deepEqual(answer.body, ['SUCCEEDED', { Result: '{"given":{"n":7}}' }]);
    const { body } = await calls.call('ListDurableExecutionsByFunction', { FunctionName: 'child' });
    assert.equal(body.DurableExecutions.length, 1);
    assert.equal(body.DurableExecutions[0].Status, 'SUCCEEDED');
  });

  it('hear that theirs was stopped, or is gone with its function', async () => {
    const inactive = async ({ checkpoint }: Started): Promise<object> => {
      await checkpoint([callback]);
      return pending;
    };
    programs({ started: ['child:$LATEST'], child: inactive });
    const stopped = calls.invoke();
    await goOn(calls.functions, untilRuns('child'));
    const [running = ''] = await calls.runningOf('child');
    await calls.stop(running, { ErrorMessage: 'enough' });
    assert.deepEqual((await goOn(calls.functions, stopped)).body, [
      'STOPPED',
      { Error: { ErrorMessage: 'enough' } },
    ]);
    await calls.functions.create('gone', { DurableConfig: { ExecutionTimeout: 60 } });
    setPrograms(calls.functions, {
      durable: async ({ operation, checkpoint }) => {
        const known = operation('i');
        if (known) return succeeded(known.ChainedInvokeDetails.Error.ErrorType);
        await checkpoint([chained('gone:$LATEST')]);
        return pending;
      },
      gone: inactive,
    });
    const orphaned = calls.invoke();
    await goOn(calls.functions, untilRuns('gone'));
    await calls.call('DeleteFunction', { FunctionName: 'gone' });
    assert.equal((await goOn(calls.functions, orphaned)).text, '"ResourceNotFoundException"');
  });

  it('are over with the execution that has stopped waiting for one that is gone', async () => {
    await calls.functions.create('gone', { DurableConfig: { ExecutionTimeout: 60 } });
    setPrograms(calls.functions, {
      durable: async ({ checkpoint }) => {
        await checkpoint([chained('gone:$LATEST')]);
        return pending;
      },
      gone: async ({ checkpoint }) => {
        await checkpoint([callback]);
        return pending;
      },
    });
    const arn = await calls.begin();
    await goOn(calls.functions, untilRuns('gone'));
    await calls.stop(arn);
    await calls.call('DeleteFunction', { FunctionName: 'gone' });
    // Maintenance with something to do for ever would not return.
    await calls.run();
    assert.equal((await calls.reportedOperations(arn)).Status, 'STOPPED');
  });

  const untilRuns = async (FunctionName: string): Promise<void> => {
    while ((await calls.runningOf(FunctionName)).length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
});

describe('invocations of a slow function by durable executions', () => {
  it('leave room for those of others', async () => {
    const calls = await createDurableCalls();
    const { functions } = calls;
    const isSlow = Promise.withResolvers<FunctionOutcome>();
    const isInvoked = Promise.withResolvers<void>();
    await functions.create('quick');
    const answer: FunctionOutcome = { kind: 'response', payload: Buffer.from('null') };
    const invoking = (count: number, FunctionName: string) =>
      Array.from({ length: count }, (_each, index) => ({
        ...chained(FunctionName),
        Id: `${FunctionName}-${index}`,
      }));
    setPrograms(
      functions,
      {
        durable: async ({ input, ids, checkpoint }) => {
          if (ids.length === 0)
            await checkpoint(input === 'slow' ? invoking(100, 'plain') : invoking(1, 'quick'));
          return pending;
        },
        plain: () => isSlow.promise,
        quick: () => {
          isInvoked.resolve();
          return answer;
        },
      },
      ['plain', 'quick'],
    );
    await functions.ports.durable.start();
    await calls.begin({ Payload: '"slow"' });
    await calls.begin({ Payload: '"quick"' });
    await isInvoked.promise;
    isSlow.resolve(answer);
    await functions.ports.durable.close();
    await functions.close();
  });
});
