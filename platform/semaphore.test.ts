import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Semaphore } from './semaphore.ts';

describe('a semaphore', () => {
  test('gives the slot of failed work to the next', async () => {
    const semaphore = new Semaphore(1);
    const results = await Promise.allSettled([
      semaphore.run(() => Promise.reject(new Error('failed'))),
      semaphore.run(async () => 'next'),
    ]);
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value : 'rejected')),
      ['rejected', 'next'],
    );
  });

  test('runs as much as it has slots, and the rest in order', async () => {
    const semaphore = new Semaphore(2);
    const [started, ends]: [number[], PromiseWithResolvers<void>[]] = [[], []];
    const work = [0, 1, 2, 3].map((index) =>
      semaphore.run(async () => {
        started.push(index);
        const end = Promise.withResolvers<void>();
        ends.push(end);
        await end.promise;
      }),
    );
    assert.deepEqual(started, [0, 1], 'at once');
    ends[1]?.resolve();
    await work[1];
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(started, [0, 1, 2]);
    for (const end of ends) end.resolve();
    await work[2];
    await new Promise((resolve) => setImmediate(resolve));
    ends[3]?.resolve();
    await Promise.all(work);
    assert.deepEqual(started, [0, 1, 2, 3]);
  });
});
