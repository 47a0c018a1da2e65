import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { assertRefused } from '../testing/assert-refused.ts';
import { createTestFunctions } from '../testing/test-functions.ts';

describe('a fault of the service', () => {
  it('is told without a detail, and ends nothing', async () => {
    const functions = await createTestFunctions();
    try {
      await functions.create('fn');
      functions.environments.answer(() => {
        throw new Error('there is no disk behind the door with the brass handle');
      });
      assertRefused(
        await functions.call('Invoke', { FunctionName: 'fn' }),
        'ServiceException',
        'The service failed while it handled the request.',
      );
      functions.environments.answer((event) => ({ kind: 'response', payload: event.payload }));
      assert.equal((await functions.call('Invoke', { FunctionName: 'fn' })).status, 200);
    } finally {
      await functions.close();
    }
  });
});
