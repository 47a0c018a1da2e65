import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { DatabaseUnavailableError } from '#platform/storage-failure.ts';

import { listUnfinishedVersions } from '../configuration/function-store.ts';
import { assertRefused } from '../testing/assert-refused.ts';
import { createTestFunctions, testRole, testZip } from '../testing/test-functions.ts';

describe('a fault of the service', () => {
  it('is reported without details, and ends nothing', async () => {
    const functions = await createTestFunctions();
    try {
      await functions.create('fn');
      functions.environments.answer(() => {
        throw new Error('there is a secret in this message');
      });
      assertRefused(
        await functions.call('Invoke', { FunctionName: 'fn' }),
        'ServiceException',
        'Internal error. See the server log.',
      );
      functions.environments.answer((event) => ({ kind: 'response', payload: event.payload }));
      assert.equal((await functions.call('Invoke', { FunctionName: 'fn' })).status, 200);
    } finally {
      await functions.close();
    }
  });

  it('of storage is reported as such, wherever it occurs', async () => {
    const functions = await createTestFunctions();
    const { ports } = functions;
    const { database } = ports;
    const full = Object.assign(new Error('full: /the/secret'), { code: 'ENOSPC' });
    const gone = new DatabaseUnavailableError(new Error('no'));
    try {
      await functions.create('fn');
      for (const [cause, status, text] of [
        [full, 507, /disk of the server is full/],
        [gone, 503, /database is unavailable/],
      ] as const) {
        const write = () => Promise.reject(new Error('undone', { cause }));
        Reflect.set(ports, 'database', { ...database, write });
        const update = { FunctionName: 'fn', Description: 'x' };
        const refused = await functions.call('UpdateFunctionConfiguration', update);
        Reflect.set(ports, 'database', database);
        assert.equal(refused.status, status);
        assert.equal(refused.headers['x-amzn-errortype'], 'ServiceException');
        assert.equal(refused.headers['retry-after'], status === 503 ? '1' : undefined);
        assert.match(refused.body.Message, text);
      }
      functions.environments.answer(() => {
        throw full;
      });
      const invoked = await functions.call('Invoke', { FunctionName: 'fn' });
      assert.equal(invoked.status, 507);
      assert.ok(!invoked.text.includes('/the/secret'));
    } finally {
      Reflect.set(ports, 'database', database);
      await functions.close();
    }
  });

  it('of a commit whose acknowledgement was lost leaves no function pending', async () => {
    const faults: unknown[] = [];
    const functions = await createTestFunctions({ onFault: (error) => faults.push(error) });
    const { ports } = functions;
    const { database } = ports;
    let answers = 0;
    /** Commits what a version is made or changed by, and acknowledges it to no one; then the database is gone for a while. */
    const lose: typeof database.write = async (work, options) => {
      const result = await database.write(work, options);
      if ((await database.read(listUnfinishedVersions)).length === 0) return result;
      answers = 3;
      throw new DatabaseUnavailableError(new Error('closed'));
    };
    const read: typeof database.read = async (work) => {
      answers -= 1;
      if (answers > 0) throw new DatabaseUnavailableError(new Error('closed'));
      return database.read(work);
    };
    // Work that failed is retried after a millisecond.
    const untilFinished = async (): Promise<Record<string, unknown>> => {
      for (const patient = performance.now() + 60_000; performance.now() < patient;) {
        const { body } = await functions.call('GetFunctionConfiguration', { FunctionName: 'fn' });
        if (body.State === 'Active' && body.LastUpdateStatus === 'Successful') return body;
        await new Promise((resolve) => setImmediate(resolve));
      }
      return assert.fail('The function stayed pending.');
    };
    const input = {
      FunctionName: 'fn',
      Role: testRole,
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Code: { ZipFile: testZip },
    };
    try {
      Reflect.set(ports, 'database', { ...database, write: lose, read });
      assert.equal((await functions.call('CreateFunction', input)).status, 503);
      Reflect.set(ports, 'database', { ...database, read });
      await untilFinished();
      assert.equal((await functions.call('CreateFunction', input)).status, 409);
      Reflect.set(ports, 'database', { ...database, write: lose, read });
      const update = { FunctionName: 'fn', MemorySize: 512 };
      assert.equal((await functions.call('UpdateFunctionConfiguration', update)).status, 503);
      Reflect.set(ports, 'database', { ...database, read });
      assert.equal((await untilFinished()).MemorySize, 512);
      assert.ok(faults.length > 0);
    } finally {
      Reflect.set(ports, 'database', database);
      await functions.close();
    }
  });
});
