import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { gatherWrites } from './gathered-writes.ts';
import { DatabaseUnavailableError } from './storage-failure.ts';

const withCode = (code: string): Error => Object.assign(new Error('refused'), { code });

describe('gathered writes', () => {
  test('write what comes meanwhile in one go, in order, and answer each', async () => {
    const groups: (readonly number[])[] = [];
    const gate = Promise.withResolvers<void>();
    const write = gatherWrites<number>(async (items) => {
      groups.push(items);
      await gate.promise;
      return items.map((item) => item !== 3);
    }, 3);
    const written = Promise.all([1, 2, 3, 4, 5].map(write));
    assert.deepEqual(groups, [[1]], 'the first one waits for no other');
    gate.resolve();
    assert.deepEqual(await written, [true, true, false, true, true]);
    assert.deepEqual(groups, [[1], [2, 3, 4], [5]]);
    assert.equal(await write(6), true);
  });

  test('write the others without an item that cannot be written', async () => {
    const write = gatherWrites<number>(async (items) => {
      if (items.includes(3)) throw new Error('three');
      return items.map(() => true);
    });
    const results = await Promise.allSettled([1, 2, 3, 4].map(write));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    );
  });

  // serialization_failure, deadlock_detected, query_canceled, lock_not_available and out_of_memory of PostgreSQL.
  for (const code of ['40001', '40P01', '57014', '55P03', '53200']) {
    test(`write the others without an item that the database refuses with ${code}`, async () => {
      const write = gatherWrites<number>(async (items) => {
        if (items.includes(3)) throw withCode(code);
        return items.map(() => true);
      });
      const results = await Promise.allSettled([1, 2, 3, 4].map(write));
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
      );
    });
  }

  const ofAll = {
    'the database does': new DatabaseUnavailableError(new Error('terminated')),
    'the disk is full': new Error('outside', { cause: withCode('53100') }),
  };
  for (const [when, failure] of Object.entries(ofAll)) {
    test(`fail together when ${when}`, async () => {
      let tries = 0;
      const write = gatherWrites<number>(async () => {
        tries += 1;
        throw failure;
      });
      const results = await Promise.allSettled([1, 2, 3].map(write));
      assert.ok(results.every(({ status }) => status === 'rejected'));
      assert.equal(tries, 2);
    });
  }
});
