import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { FairSemaphore } from './fair-semaphore.ts';

describe('a fair semaphore', () => {
  function started(semaphore: FairSemaphore, owners: string) {
    const [order, ends]: [string[], PromiseWithResolvers<void>[]] = [[], []];
    const work = owners.split('').map((owner) =>
      semaphore.run(owner, async () => {
        order.push(owner);
        const end = Promise.withResolvers<void>();
        ends.push(end);
        await end.promise;
      }),
    );
    return {
      order,
      work,
      end: async (index: number): Promise<void> => {
        ends[index]?.resolve();
        await new Promise((resolve) => setImmediate(resolve));
      },
    };
  }

  test('keeps slots for others than one owner', async () => {
    const { order, end, work } = started(new FairSemaphore(3, 2), 'aaaab');
    assert.deepEqual(order.join(''), 'aab');
    await end(2);
    assert.deepEqual(order.join(''), 'aab');
    await end(0);
    assert.deepEqual(order.join(''), 'aaba');
    for (const index of [1, 3, 4]) await end(index);
    await Promise.all(work);
    assert.deepEqual(order.join(''), 'aabaa');
  });

  test('gives a slot to the owner that has the fewest, and to the first among those', async () => {
    const { order, end, work } = started(new FairSemaphore(2, 2), 'aaaabcab');
    assert.deepEqual(order.join(''), 'aa');
    for (let index = 0; index < 8; index += 1) await end(index);
    await Promise.all(work);
    assert.deepEqual(order.join(''), 'aabacaba');
  });

  test('gives the slot of failed work to the next', async () => {
    const semaphore = new FairSemaphore(1, 1);
    const results = await Promise.allSettled([
      semaphore.run('a', () => Promise.reject(new Error('failed'))),
      semaphore.run('b', async () => 'next'),
    ]);
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value : 'rejected')),
      ['rejected', 'next'],
    );
  });
});
