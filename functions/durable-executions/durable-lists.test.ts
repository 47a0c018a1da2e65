import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type TestResponse } from '../testing/test-functions.ts';
import { createDurableCalls, type DurableCalls } from './testing/durable-calls.ts';
import { pending, setPrograms, succeeded } from './testing/durable-programs.ts';

const wait = {
  Id: 'w',
  Type: 'WAIT',
  Action: 'START',
  WaitOptions: { WaitSeconds: 1 },
} as const;

describe('durable executions', () => {
  let calls: DurableCalls;
  before(async () => {
    calls = await createDurableCalls();
  });
  after(() => calls.functions.close());

  it('with a long history list it in pages', async () => {
    const steps = Array.from({ length: 1200 }, (_, index) => ({
      Id: `s${index}`,
      Type: 'STEP' as const,
      Action: 'SUCCEED' as const,
      Payload: '1',
    }));
    let paged: number[] = [];
    setPrograms(calls.functions, {
      durable: async ({ arn, token, ids, nextMarker, checkpoint }) => {
        if (ids.length === 0) {
          await checkpoint([...steps, wait]);
          return pending;
        }
        const state = async (
          Marker: string | undefined,
          MaxItems?: number,
        ): Promise<TestResponse['body']> =>
          (
            await calls.call('GetDurableExecutionState', {
              DurableExecutionArn: arn,
              CheckpointToken: token,
              Marker,
              MaxItems,
            })
          ).body;
        const rest = await state(nextMarker, 1000);
        const whole = await state(undefined, 0);
        paged = [ids.length, rest.Operations.length, whole.Operations.length];
        assert.equal(rest.NextMarker, undefined);
        assert.equal(whole.Operations[0].Type, 'EXECUTION');
        return succeeded(1);
      },
    });
    const arn = await calls.begin();
    await calls.run();
    await calls.later(1000);
    assert.deepEqual(paged, [1000, 201, 101]);
    const history = (given: object): Promise<TestResponse> =>
      calls.call('GetDurableExecutionHistory', { DurableExecutionArn: arn, ...given });
    const seen: number[] = [];
    let marker: string | undefined;
    do {
      const { body } = await history({ MaxItems: 1000, Marker: marker });
      seen.push(...body.Events.map(({ EventId }: { EventId: number }) => EventId));
      marker = body.NextMarker;
    } while (marker !== undefined);
    assert.deepEqual(
      seen,
      Array.from({ length: 2406 }, (_, index) => index + 1),
    );
    const { body } = await history({
      ReverseOrder: true,
      MaxItems: 2,
      IncludeExecutionData: false,
    });
    assert.deepEqual(body.Events[0], {
      ...body.Events[0],
      EventType: 'ExecutionSucceeded',
      EventId: 2406,
      ExecutionSucceededDetails: { Result: {} },
    });
    assert.equal(body.Events[1].EventId, 2405);
    const next = await history({ ReverseOrder: true, MaxItems: 1, Marker: body.NextMarker });
    assert.equal(next.body.Events[0].EventId, 2404);
  });

  it('are listed by name, version, status and time, in either order', async () => {
    await calls.functions.create('listed', { DurableConfig: { ExecutionTimeout: 60 } });
    await calls.call('PublishVersion', { FunctionName: 'listed' });
    await calls.functions.untilProvisioned();
    setPrograms(calls.functions, { listed: async () => succeeded(1) });
    const startedAt: number[] = [];
    for (const [index, qualifier] of ['$LATEST', '1', '1'].entries()) {
      calls.functions.clock.advance(1000);
      startedAt.push(calls.functions.clock.now());
      const FunctionName = `listed:${qualifier}`;
      await calls.begin({ FunctionName, DurableExecutionName: `n${index}` });
      if (index < 2) await calls.run();
    }
    const names = async (given: object): Promise<string> => {
      const answer = await calls.call('ListDurableExecutionsByFunction', {
        FunctionName: 'listed',
        ...given,
      });
      assert.equal(answer.status, 200, answer.text);
      const { DurableExecutions: found } = answer.body;
      return found.map((one: TestResponse['body']) => one.DurableExecutionName).join();
    };
    const timeOf = (index: number): string => new Date(startedAt[index] ?? 0).toISOString();
    assert.equal(await names({}), 'n2,n1,n0');
    assert.equal(await names({ ReverseOrder: true }), 'n0,n1,n2');
    assert.equal(await names({ Qualifier: '1' }), 'n2,n1');
    assert.equal(await names({ Qualifier: '$LATEST' }), 'n0');
    assert.equal(await names({ DurableExecutionName: 'n1' }), 'n1');
    assert.equal(await names({ Statuses: ['RUNNING'] }), 'n2');
    assert.equal(await names({ Statuses: ['SUCCEEDED', 'FAILED'] }), 'n1,n0');
    assert.equal(await names({ StartedAfter: timeOf(0), StartedBefore: timeOf(2) }), 'n1');
    assert.equal(await names({ StartedAfter: String((startedAt[1] ?? 0) / 1000) }), 'n2');
    for (const ReverseOrder of [false, true]) {
      const seen: string[] = [];
      let Marker: string | undefined;
      do {
        const { body } = await calls.call('ListDurableExecutionsByFunction', {
          FunctionName: 'listed',
          MaxItems: 1,
          ReverseOrder,
          Marker,
        });
        seen.push(body.DurableExecutions[0].DurableExecutionName);
        Marker = body.NextMarker;
      } while (Marker !== undefined);
      assert.equal(seen.join(), ReverseOrder ? 'n0,n1,n2' : 'n2,n1,n0');
    }
  });
});
