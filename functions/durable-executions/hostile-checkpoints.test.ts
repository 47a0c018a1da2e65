import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import * as fc from 'fast-check';

import {
  checkpointDurableExecution,
  getDurableExecutionState,
} from '#functions-contract/operations/durable-executions.ts';

import { hostileInput } from '../testing/hostile-inputs.ts';
import { requestOf } from '../testing/request-of.ts';
import { createDurableCalls, type DurableCalls } from './testing/durable-calls.ts';
import { setPrograms, succeeded } from './testing/durable-programs.ts';

/** More find more: `HOB_HOSTILE_RUNS=2000 npm test -- functions/durable-executions/hostile`. */
const runs = Number(process.env['HOB_HOSTILE_RUNS'] ?? 150);

describe('checkpoints that no program should ask for', () => {
  let calls: DurableCalls;
  before(async () => {
    calls = await createDurableCalls();
  });
  after(() => calls.functions.close());

  it('are taken or refused, and the execution ends as its program says', async (context) => {
    const { functions } = calls;
    const statuses = new Map<number, number>();
    setPrograms(functions, {
      durable: async ({ arn, token: first }) => {
        let token = first;
        const known = { DurableExecutionArn: [arn], ClientToken: ['one', 'two', 'three'] };
        const checkpoints = fc.sample(hostileInput(checkpointDurableExecution, known), {
          seed: 20_251_202,
          numRuns: runs,
        });
        for (const input of checkpoints) {
          const given = { ...input, CheckpointToken: token, Updates: tame(input['Updates']) };
          const answer = await functions.send(requestOf(checkpointDurableExecution, given));
          assert.ok(answer.status < 500, answer.text);
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          if (answer.status === 200) token = answer.body.CheckpointToken;
        }
        const states = hostileInput(getDurableExecutionState, {
          ...known,
          CheckpointToken: [token],
        });
        for (const input of fc.sample(states, { seed: 20_251_203, numRuns: runs / 3 })) {
          const answer = await functions.send(requestOf(getDurableExecutionState, input));
          assert.ok(answer.status < 500, answer.text);
        }
        return succeeded('unharmed');
      },
    });
    const arn = await calls.begin();
    await calls.run();
    assert.equal((await calls.reportedOperations(arn)).Result, '"unharmed"');
    const numbers = (await calls.eventsOf(arn)).map(({ EventId }) => EventId);
    assert.deepEqual(
      numbers,
      numbers.map((_number, index) => index + 1),
    );
    assert.ok((statuses.get(200) ?? 0) > 0 && (statuses.get(400) ?? 0) > 0);
    context.diagnostic([...statuses].map((pair) => pair.join(' × ')).join(', '));
  });
});

/** Nothing that ends the execution, and few ids, so that updates meet. */
function tame(updates: unknown): unknown {
  if (!Array.isArray(updates)) return updates;
  return updates.map((update: unknown, index) =>
    typeof update === 'object' && update !== null && 'Type' in update && update.Type !== 'EXECUTION'
      ? { ...update, Id: `op${index % 4}` }
      : { Id: `other${index}`, Type: 'STEP', Action: 'START' },
  );
}
