import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused } from '../testing/assert-refused.ts';
import { arnOf, createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

describe('an invocation of a function that is deleted after it was found', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
  });
  after(() => functions.close());

  for (const [what, given, qualifier] of [
    ['asynchronous', {}, undefined],
    ['durable', { DurableConfig: { ExecutionTimeout: 60 } }, '$LATEST'],
  ] as const) {
    it(`is refused as one of none, where it is ${what}`, async () => {
      await functions.create(what, given);
      const { ports } = functions;
      const { versionSpecs } = ports;
      Reflect.set(ports, 'versionSpecs', {
        async of(target: Parameters<typeof versionSpecs.of>[0]) {
          const found = await versionSpecs.of(target);
          await functions.call('DeleteFunction', { FunctionName: what });
          return found;
        },
      });
      try {
        const refused = await functions.call('Invoke', {
          FunctionName: what,
          InvocationType: 'Event',
          ...(qualifier && { Qualifier: qualifier }),
          Payload: '{}',
        });
        const message = `Function not found: ${arnOf(what)}:$LATEST`;
        assertRefused(refused, 'ResourceNotFoundException', message);
      } finally {
        Reflect.set(ports, 'versionSpecs', versionSpecs);
      }
      assert.equal((await functions.call('GetFunction', { FunctionName: what })).status, 404);
    });
  }
});
