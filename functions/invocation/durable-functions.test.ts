import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused } from '../testing/assert-refused.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

describe('durable functions', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
    await functions.create('durable', { DurableConfig: { ExecutionTimeout: 60 } });
  });
  after(() => functions.close());

  for (const InvocationType of ['RequestResponse', 'Event', 'DryRun']) {
    it(`are not invoked without naming a version (${InvocationType})`, async () => {
      assertRefused(
        await functions.call('Invoke', { FunctionName: 'durable', InvocationType }),
        'InvalidParameterValueException',
        'You cannot invoke a durable function using an unqualified ARN.',
      );
      const named = { FunctionName: 'durable:$LATEST', InvocationType };
      assert.ok((await functions.call('Invoke', named)).status < 300);
    });
  }
});
