import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { WaitQueue } from './wait-queue.ts';

interface Waiter {
  readonly arrival: number;
}

describe('a wait queue', () => {
  const of = (lines: Readonly<Record<string, readonly number[]>>): WaitQueue<string, Waiter> => {
    const queue = new WaitQueue<string, Waiter>();
    for (const [line, arrivals] of Object.entries(lines)) {
      for (const arrival of arrivals) queue.add(line, { arrival });
    }
    return queue;
  };

  test('is empty once its last waiter is gone', () => {
    const queue = of({ a: [1] });
    assert.ok(!queue.isEmpty);
    assert.equal(queue.shift('b'), undefined);
    assert.deepEqual(queue.shift('a'), { arrival: 1 });
    assert.ok(queue.isEmpty);
    assert.equal(queue.length('a'), 0);
  });

  test('gives a waiter that returns its former position', () => {
    const queue = of({ a: [1, 3, 5, 2] });
    assert.deepEqual(
      [0, 1, 2, 3, 4].map((position) => queue.at('a', position)?.arrival),
      [1, 2, 3, 5, undefined],
    );
  });

  test('serves the earliest arrival of all lines that can be served', () => {
    const queue = of({ a: [4], b: [2, 3], c: [1] });
    assert.equal(
      queue.next(() => 0),
      'c',
    );
    assert.equal(
      queue.next((line) => (line === 'c' ? undefined : 0)),
      'b',
    );
    // Its first waiter waits for a start in progress: the next one counts.
    assert.equal(
      queue.next((line) => (line === 'c' ? undefined : Number(line === 'b'))),
      'b',
    );
    assert.equal(
      queue.next((line) => (line === 'c' ? undefined : 2 * Number(line === 'b'))),
      'a',
    );
    assert.equal(
      queue.next(() => undefined),
      undefined,
    );
  });

  test('gives up all waiters of some lines in the order of their arrival', () => {
    const queue = of({ a: [4, 6], b: [2], c: [1, 5] });
    assert.deepEqual(
      queue.takeAll((line) => line !== 'b').map(({ arrival }) => arrival),
      [1, 4, 5, 6],
    );
    assert.equal(queue.length('b'), 1);
    assert.deepEqual(queue.takeAll(), [{ arrival: 2 }]);
    assert.ok(queue.isEmpty);
  });
});
