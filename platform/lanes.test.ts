import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createLanes } from './lanes.ts';

describe('lanes', () => {
  test('run the work of one lane in the order it came, and others beside it', async () => {
    const lanes = createLanes();
    const gate = Promise.withResolvers<void>();
    const done: string[] = [];
    const first = lanes.run('a', async () => {
      await gate.promise;
      done.push('first');
    });
    const second = lanes.run('a', async () => done.push('second'));
    await lanes.run('b', async () => done.push('beside'));
    assert.deepEqual(done, ['beside']);
    assert.equal(lanes.length('a'), 2);
    gate.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(done, ['beside', 'first', 'second']);
    assert.equal(lanes.length('a'), 0);
  });

  test('go on after work that failed, whenever it was asked for', async () => {
    const lanes = createLanes();
    const failing = lanes.run('a', () => Promise.reject(new Error('no')));
    const waiting = lanes.run('a', async () => 'yes');
    await assert.rejects(failing, /no/);
    assert.equal(await waiting, 'yes');
    assert.equal(await lanes.run('a', async () => 'later'), 'later');
  });

  test('of several are taken together, whatever the order they are named in', async () => {
    const lanes = createLanes();
    let alone = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      alone += 1;
      most = Math.max(most, alone);
      await new Promise((resolve) => setImmediate(resolve));
      alone -= 1;
    };
    await Promise.all([
      lanes.runInAll(['a', 'b'], work),
      lanes.runInAll(['b', 'a', 'a'], work),
      lanes.runInAll(['b'], work),
      lanes.runInAll([], async () => {}),
    ]);
    assert.equal(most, 1);
    assert.equal(lanes.length('a') + lanes.length('b'), 0);
  });
});
