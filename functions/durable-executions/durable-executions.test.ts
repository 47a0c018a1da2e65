import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertRefused } from '../testing/assert-refused.ts';
import { testServerId } from '../testing/test-functions.ts';
import { createDurableCalls, type DurableCalls } from './testing/durable-calls.ts';
import { goOn, pending, setPrograms, succeeded } from './testing/durable-programs.ts';
import { openTestDurable } from './testing/open-test-durable.ts';
import type { FunctionOutcome } from '../environments/execution-environment.ts';

const staleToken =
  'Invalid Checkpoint Token: it was already used, or the execution continues elsewhere or has ended.';
const wait = {
  Id: 'w',
  Type: 'WAIT',
  Action: 'START',
  WaitOptions: { WaitSeconds: 1 },
} as const;
const callback = { Id: 'c', Type: 'CALLBACK', Action: 'START' } as const;

describe('durable executions go on', () => {
  let calls: DurableCalls;
  before(async () => {
    calls = await createDurableCalls();
  });
  after(() => calls.functions.close());

  it('through steps and waits to the result that the caller waits for', async () => {
    const runs: (readonly string[])[] = [];
    setPrograms(calls.functions, {
      durable: async ({ input, updated, operation, checkpoint }) => {
        runs.push(updated);
        assert.deepEqual(input, { a: 1 });
        if (operation('w')?.Status === 'SUCCEEDED') {
          assert.equal(operation('s').StepDetails.Result, '"x"');
          return succeeded({ done: true });
        }
        await checkpoint([
          { Id: 's', Name: 'first', Type: 'STEP', SubType: 'Step', Action: 'START' },
          {
            Id: 's',
            Name: 'first',
            Type: 'STEP',
            SubType: 'Step',
            Action: 'SUCCEED',
            Payload: '"x"',
          },
          wait,
        ]);
        assert.ok(operation('w').WaitDetails.ScheduledEndTimestamp > 1_700_000_000);
        return pending;
      },
    });
    const answer = await goOn(
      calls.functions,
      calls.invoke({ Payload: '{"a":1}', LogType: 'Tail' }),
    );
    assert.equal(answer.text, '{"done":true}');
    assert.equal(answer.headers['x-amz-executed-version'], '$LATEST');
    assert.equal(
      Buffer.from(answer.headers['x-amz-log-result'] ?? '', 'base64').toString(),
      'the log\n',
    );
    assert.deepEqual(runs, [[], ['w']]);
    const arn = answer.headers['x-amz-durable-execution-arn'] ?? '';
    assert.deepEqual(await calls.typesOf(arn), [
      'ExecutionStarted',
      'StepStarted',
      'StepSucceeded',
      'WaitStarted',
      'InvocationCompleted',
      'WaitSucceeded',
      'InvocationCompleted',
      'ExecutionSucceeded',
    ]);
    const execution = await calls.reportedOperations(arn);
    assert.equal(execution.Status, 'SUCCEEDED');
    assert.equal(execution.Result, '{"done":true}');
    assert.equal(execution.InputPayload, '{"a":1}');
    assert.deepEqual(execution.DurableConfig, {
      ExecutionTimeout: 600,
      RetentionPeriodInDays: 2,
    });
    const bare = await calls.call('GetDurableExecution', {
      DurableExecutionArn: arn,
      IncludeExecutionData: false,
    });
    assert.equal(bare.body.ExecutionDataIncluded, false);
    assert.ok(!('Result' in bare.body) && !('InputPayload' in bare.body));
  });

  it('under a name once: who gives the same again gets the same', async () => {
    let runs = 0;
    setPrograms(calls.functions, {
      durable: async () => {
        runs += 1;
        return succeeded(runs);
      },
    });
    const named = { DurableExecutionName: 'once', Payload: '{"b":1}' };
    const both = await goOn(
      calls.functions,
      Promise.all([calls.invoke(named), calls.invoke(named)]),
    );
    const third = await calls.invoke(named);
    assert.deepEqual(
      [...both, third].map(({ text }) => text),
      ['1', '1', '1'],
    );
    assert.equal(await calls.begin(named), third.headers['x-amz-durable-execution-arn']);
    assert.equal(runs, 1);
  });

  it('with the answer to a checkpoint that a client asks for again', async () => {
    setPrograms(calls.functions, {
      durable: async ({ arn, token }) => {
        const input = {
          DurableExecutionArn: arn,
          CheckpointToken: token,
          ClientToken: 'one',
          Updates: [{ Id: 's', Type: 'STEP', Action: 'START' }],
        };
        const first = await calls.call('CheckpointDurableExecution', input);
        const second = await calls.call('CheckpointDurableExecution', input);
        assert.deepEqual(second.body, first.body);
        const other = await calls.call('CheckpointDurableExecution', {
          ...input,
          ClientToken: 'two',
        });
        assertRefused(other, 'InvalidParameterValueException', staleToken);
        return succeeded(first.body.NewExecutionState.Operations.length);
      },
    });
    assert.equal((await goOn(calls.functions, calls.invoke())).text, '1');
  });

  it('when something they wait for happens while they run', async () => {
    setPrograms(calls.functions, {
      durable: async ({ operation, checkpoint, updated }) => {
        if (operation('c')?.Status === 'SUCCEEDED')
          return succeeded([updated, operation('w').Status]);
        await checkpoint([wait, callback]);
        calls.functions.clock.advance(1000);
        await checkpoint();
        assert.equal(operation('w').Status, 'SUCCEEDED');
        const { CallbackId } = operation('c').CallbackDetails;
        await calls.call('SendDurableExecutionCallbackSuccess', { CallbackId, Result: '"yes"' });
        return pending;
      },
    });
    assert.equal((await goOn(calls.functions, calls.invoke())).text, '[["c"],"SUCCEEDED"]');
  });

  it('again after a failure of the function, and fail when it goes on failing', async () => {
    let failures = 2;
    const failing = async (): Promise<FunctionOutcome> => {
      const report = { errorType: 'TypeError', errorMessage: 'no good' };
      failures -= 1;
      return failures >= 0
        ? { kind: 'failed', errorType: 'TypeError', payload: Buffer.from(JSON.stringify(report)) }
        : { kind: 'response', payload: Buffer.from('{"Status":"SUCCEEDED"}') };
    };
    setPrograms(calls.functions, { durable: failing }, ['durable']);
    const healed = await goOn(calls.functions, calls.invoke());
    assert.equal(healed.text, 'null');
    failures = 3;
    const answer = await goOn(calls.functions, calls.invoke());
    assert.equal(answer.headers['x-amz-function-error'], 'Unhandled');
    assert.deepEqual(answer.body, { errorMessage: 'no good', errorType: 'TypeError' });
    const arn = answer.headers['x-amz-durable-execution-arn'] ?? '';
    assert.equal((await calls.reportedOperations(arn)).Error.ErrorType, 'TypeError');
    const failed = (await calls.eventsOf(arn)).filter(
      ({ EventType }) => EventType === 'InvocationCompleted',
    );
    assert.equal(failed.length, 3);
    assert.equal(failed[0].InvocationCompletedDetails.Error.Payload.ErrorMessage, 'no good');
  });

  it('not at all when the function is none that is durable, or waits for nothing', async () => {
    setPrograms(calls.functions, { durable: async () => 'hello' });
    const nonsense = await goOn(calls.functions, calls.invoke());
    assert.equal(nonsense.body.errorType, 'Execution.InvalidAnswer');
    setPrograms(calls.functions, { durable: async () => pending });
    const nothing = await goOn(calls.functions, calls.invoke());
    assert.equal(nothing.body.errorType, 'Execution.NothingAwaited');
  });

  it('to a result that is larger than an answer, by a checkpoint', async () => {
    const large = JSON.stringify('x'.repeat(2_000_000));
    setPrograms(calls.functions, {
      durable: async ({ checkpoint }) => {
        const answer = await checkpoint([
          { Id: 'end', Type: 'EXECUTION', Action: 'SUCCEED', Payload: large },
        ]);
        assert.equal(answer.status, 200, answer.text);
        assertRefused(await checkpoint([wait]), 'InvalidParameterValueException', staleToken);
        return { Status: 'SUCCEEDED', Result: '' };
      },
    });
    assert.equal((await goOn(calls.functions, calls.invoke())).text, large);
  });

  it('to an answer by a function URL, and to one that is streamed', async () => {
    setPrograms(calls.functions, { durable: async ({ input }) => succeeded(input) });
    const FunctionName = 'durable';
    const streamed = await calls.call('InvokeWithResponseStream', {
      FunctionName: 'durable:$LATEST',
      Payload: '{"x":1}',
    });
    assert.match(streamed.bytes.toString(), /\{"x":1\}/);
    await calls.call('CreateAlias', { FunctionName, Name: 'web', FunctionVersion: '$LATEST' });
    const alias = { FunctionName, Qualifier: 'web' };
    const created = await calls.call('CreateFunctionUrlConfig', { ...alias, AuthType: 'NONE' });
    await calls.call('AddPermission', {
      ...alias,
      StatementId: 'everybody',
      Action: 'lambda:InvokeFunctionUrl',
      Principal: '*',
      FunctionUrlAuthType: 'NONE',
    });
    const page = { statusCode: 202, body: 'by URL' };
    setPrograms(calls.functions, { durable: async () => succeeded(page) });
    const { host } = new URL(created.body.FunctionUrl);
    const answer = await calls.functions.send({ method: 'GET', target: '/', headers: { host } });
    assert.equal(answer.text, 'by URL');
    assert.equal(answer.status, 202);
  });

  it('when the server that ran them was killed', async () => {
    let runs = 0;
    const { promise: never, resolve } = Promise.withResolvers<void>();
    const { promise: started, resolve: begins } = Promise.withResolvers<void>();
    setPrograms(calls.functions, {
      durable: async ({ checkpoint }) => {
        runs += 1;
        if (runs > 1) return succeeded(runs);
        begins();
        await never;
        // The first is still there when the second has taken over: it can change nothing any more.
        assertRefused(await checkpoint([wait]), 'InvalidParameterValueException', staleToken);
        return succeeded('too late');
      },
    });
    const arn = await calls.begin();
    const first = calls.run();
    await started;
    const { ports } = calls.functions;
    // Another server that starts leaves the run alone.
    const other = openTestDurable({ ...ports, serverId: 'other' });
    await other.start();
    await other.poll();
    await other.close();
    assert.equal(runs, 1);
    const next = openTestDurable({ ...ports, serverId: testServerId });
    await next.start();
    while ((await calls.reportedOperations(arn)).Status === 'RUNNING')
      await new Promise((tick) => setImmediate(tick));
    resolve();
    await first;
    await next.close();
    assert.equal((await calls.reportedOperations(arn)).Result, '2');
  });
});
