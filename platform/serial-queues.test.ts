import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createSerialQueues } from './serial-queues.ts';

describe('serial queues', () => {
  test('run the work of one queue in the order it came, and other queues in parallel', async () => {
    const serialQueues = createSerialQueues();
    const gate = Promise.withResolvers<void>();
    const done: string[] = [];
    const first = serialQueues.run('a', async () => {
      await gate.promise;
      done.push('first');
    });
    const second = serialQueues.run('a', async () => done.push('second'));
    await serialQueues.run('b', async () => done.push('beside'));
    assert.deepEqual(done, ['beside']);
    assert.equal(serialQueues.length('a'), 2);
    gate.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(done, ['beside', 'first', 'second']);
    assert.equal(serialQueues.length('a'), 0);
  });

  test('go on after work that failed, whenever it was asked for', async () => {
    const serialQueues = createSerialQueues();
    const failing = serialQueues.run('a', () => Promise.reject(new Error('no')));
    const waiting = serialQueues.run('a', async () => 'yes');
    await assert.rejects(failing, /no/);
    assert.equal(await waiting, 'yes');
    assert.equal(await serialQueues.run('a', async () => 'later'), 'later');
  });

  test('of several are taken together, whatever the order they are named in', async () => {
    const serialQueues = createSerialQueues();
    let alone = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      alone += 1;
      most = Math.max(most, alone);
      await new Promise((resolve) => setImmediate(resolve));
      alone -= 1;
    };
    await Promise.all([
      serialQueues.runInAll(['a', 'b'], work),
      serialQueues.runInAll(['b', 'a', 'a'], work),
      serialQueues.runInAll(['b'], work),
      serialQueues.runInAll([], async () => {}),
    ]);
    assert.equal(most, 1);
    assert.equal(serialQueues.length('a') + serialQueues.length('b'), 0);
  });
});
