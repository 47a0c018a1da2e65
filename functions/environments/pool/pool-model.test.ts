/** Whatever happens in whatever order: no one waits while there is capacity, no capacity is lost, every event is answered. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { PoolModel, type Action } from './testing/pool-model.ts';

/** `HOB_POOL_RUNS=20000 npm test -- pool-model` looks for rarer orders of events. */
const runs = Number(process.env['HOB_POOL_RUNS'] ?? 150);

const sandbox = fc.nat({ max: 1_000_000 });
const actions: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('invoke' as const), of: sandbox }) },
    { weight: 10, arbitrary: fc.record({ do: fc.constant('succeed' as const), of: sandbox }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('fail' as const), of: sandbox }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('succeed all' as const), of: sandbox }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('prewarm' as const), of: sandbox }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('provision' as const), of: sandbox }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('update' as const), of: sandbox }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('lose one' as const), of: sandbox }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('lose all' as const), of: sandbox }) },
  ),
  { maxLength: 60 },
);

describe('the pool of execution environments', () => {
  it('keeps its promises in every order of starts, answers, failures and losses', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), actions, async (environmentsMax, steps) => {
        const model = new PoolModel(environmentsMax);
        for (const step of steps) {
          await model.apply(step);
          model.check();
        }
        await model.finish();
        assert.deepEqual(model.problems(), []);
      }),
      { numRuns: runs },
    );
  });
});
