import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { DatabaseUnavailableError } from '#platform/storage-failure.ts';

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

  it('of storage is told as such, wherever it shows', async () => {
    const functions = await createTestFunctions();
    const { ports } = functions;
    const { database } = ports;
    const full = Object.assign(new Error('no room at /the/door'), { code: 'ENOSPC' });
    const gone = new DatabaseUnavailableError(new Error('no'));
    try {
      await functions.create('fn');
      for (const [cause, status, words] of [
        [full, 507, /disk of the server is full/],
        [gone, 503, /database of the server cannot be/],
      ] as const) {
        const write = () => Promise.reject(new Error('undone', { cause }));
        Reflect.set(ports, 'database', { ...database, write });
        const update = { FunctionName: 'fn', Description: 'x' };
        const refused = await functions.call('UpdateFunctionConfiguration', update);
        Reflect.set(ports, 'database', database);
        assert.equal(refused.status, status);
        assert.equal(refused.headers['x-amzn-errortype'], 'ServiceException');
        assert.equal(refused.headers['retry-after'], status === 503 ? '1' : undefined);
        assert.match(refused.body.Message, words);
      }
      functions.environments.answer(() => {
        throw full;
      });
      const invoked = await functions.call('Invoke', { FunctionName: 'fn' });
      assert.equal(invoked.status, 507);
      assert.ok(!invoked.text.includes('/the/door'));
    } finally {
      Reflect.set(ports, 'database', database);
      await functions.close();
    }
  });
});
