import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused } from '../testing/assert-refused.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

const invocations: [operation: string, input: Readonly<Record<string, unknown>>][] = [
  ['Invoke', { InvocationType: 'RequestResponse' }],
  ['Invoke', { InvocationType: 'Event' }],
  ['Invoke', { InvocationType: 'DryRun' }],
  ['InvokeWithResponseStream', { InvocationType: 'RequestResponse' }],
  ['InvokeWithResponseStream', { InvocationType: 'DryRun' }],
  ['InvokeAsync', { InvokeArgs: '{}' }],
];

describe('durable functions', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
    await functions.create('durable', { DurableConfig: { ExecutionTimeout: 60 } });
  });
  after(() => functions.close());

  for (const [operation, input] of invocations) {
    it(`are not invoked without naming a version (${operation} ${JSON.stringify(input)})`, async () => {
      assertRefused(
        await functions.call(operation, { ...input, FunctionName: 'durable' }),
        'InvalidParameterValueException',
        'You cannot invoke a durable function using an unqualified ARN.',
      );
      const named = { ...input, FunctionName: 'durable:$LATEST' };
      assert.ok((await functions.call(operation, named)).status < 300);
    });
  }

  it('run as executions when they are invoked by InvokeAsync', async () => {
    const named = { FunctionName: 'durable:$LATEST' };
    const started = await executionsOf(named);
    await functions.call('InvokeAsync', { ...named, InvokeArgs: '{}' });
    assert.equal(await executionsOf(named), started + 1);
  });

  async function executionsOf(named: { FunctionName: string }): Promise<number> {
    const listed = await functions.call('ListDurableExecutionsByFunction', named);
    return listed.body.DurableExecutions.length;
  }
});
