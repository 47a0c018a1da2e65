import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { inTurns } from './in-turns.ts';

function busy(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe('work in turns', () => {
  it('is done in order, and its first failure ends it', async () => {
    assert.deepEqual(await inTurns([1, 2, 3], (item) => item * 2), [2, 4, 6]);
    const done: number[] = [];
    const failing = inTurns([1, 2, 3], (item) => {
      if (item === 2) throw new Error('It fails.');
      done.push(item);
    });
    await assert.rejects(failing, /It fails/);
    assert.deepEqual(done, [1]);
  });

  it('leaves a turn of the event loop between long items, also of several callers', async () => {
    let turn = 0;
    let looking = true;
    const look = (): void => {
      turn += 1;
      if (looking) setImmediate(look);
    };
    setImmediate(look);
    const turns: number[] = [];
    const work = (): void => {
      turns.push(turn);
      busy(12);
    };
    await Promise.all([inTurns([1, 2, 3], work), inTurns([1, 2, 3], work)]);
    looking = false;
    // The first of each caller is done at once.
    const later = turns.slice(2);
    assert.equal(new Set(later).size, later.length, turns.join());
  });
});
