import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { TestResponse } from '../testing/test-functions.ts';
import { createDurableCalls, type DurableCalls } from './testing/durable-calls.ts';
import { pending, setPrograms, succeeded } from './testing/durable-programs.ts';

const megabyte = 1_000_000;

describe('durable executions with large operations', () => {
  let calls: DurableCalls;
  before(async () => {
    calls = await createDurableCalls();
  });
  after(() => calls.functions.close());

  it('report what others have changed by several checkpoints, and all that the program has changed', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `c${index}`);
    const reported: string[][] = [];
    setPrograms(calls.functions, {
      durable: async ({ checkpoint }) => {
        const changed = async (
          updates: Parameters<typeof checkpoint>[0],
        ): Promise<TestResponse> => {
          const answer = await checkpoint(updates);
          const { Operations } = answer.body.NewExecutionState;
          reported.push(
            Operations.map(({ Id, Status }: Record<string, string>) => `${Id} ${Status}`),
          );
          return answer;
        };
        const { body } = await changed(
          names.map((Id) => ({ Id, Type: 'CALLBACK' as const, Action: 'START' as const })),
        );
        for (const { CallbackDetails } of body.NewExecutionState.Operations) {
          await calls.call('SendDurableExecutionCallbackSuccess', {
            CallbackId: CallbackDetails.CallbackId,
            Result: Buffer.from('x'.repeat(megabyte)),
          });
        }
        await changed([{ Id: 'last', Type: 'CALLBACK', Action: 'START' }]);
        await changed([]);
        await changed([]);
        await changed([]);
        return succeeded(1);
      },
    });
    await calls.begin();
    await calls.run();
    const done = names.map((name) => `${name} SUCCEEDED`);
    assert.deepEqual(reported.slice(1), [
      [...done.slice(0, 3), 'last STARTED'],
      done.slice(3, 6),
      done.slice(6),
      [],
    ]);
  });

  it('run again for what was not reported before they wait', async () => {
    const runs: string[][] = [];
    setPrograms(calls.functions, {
      durable: async ({ updated, checkpoint }) => {
        runs.push([...updated]);
        if (runs.length > 1) return succeeded(1);
        const { body } = await checkpoint(
          ['c0', 'c1', 'c2', 'c3', 'c4', 'open'].map((Id) => ({
            Id,
            Type: 'CALLBACK' as const,
            Action: 'START' as const,
          })),
        );
        for (const { CallbackDetails } of body.NewExecutionState.Operations.slice(0, 5)) {
          await calls.call('SendDurableExecutionCallbackSuccess', {
            CallbackId: CallbackDetails.CallbackId,
            Result: Buffer.from('x'.repeat(megabyte)),
          });
        }
        await checkpoint([]);
        return pending;
      },
    });
    await calls.begin();
    await calls.run();
    assert.deepEqual(runs, [[], ['c3', 'c4']]);
  });

  it('count the inputs of functions that they invoke as parts of a page', async () => {
    const ids = Array.from({ length: 9 }, (_, index) => `i${index}`);
    const started: number[] = [];
    setPrograms(calls.functions, {
      durable: async (start) => {
        started.push(start.ids.length);
        if (started.length > 1) return succeeded(1);
        await start.checkpoint(
          ids.map((Id) => ({
            Id,
            Type: 'CHAINED_INVOKE' as const,
            Action: 'START' as const,
            Payload: JSON.stringify('x'.repeat(megabyte)),
            ChainedInvokeOptions: { FunctionName: 'missing' },
          })),
        );
        return pending;
      },
    });
    await calls.begin();
    await calls.run();
    assert.deepEqual(started, [0, 1]);
  });
});
