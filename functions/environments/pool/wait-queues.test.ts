import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { VersionEnvironments } from './pooled-environment.ts';
import { testVersionSpec } from './testing/test-version-spec.ts';
import { compareTurns, WaitQueues } from './wait-queues.ts';

interface Waiter {
  readonly arrival: number;
}

describe('wait queues', () => {
  const of = (
    arrivalsOf: Readonly<Record<string, readonly number[]>>,
  ): WaitQueues<string, Waiter> => {
    const queues = new WaitQueues<string, Waiter>((one, another) => one.arrival - another.arrival);
    for (const [key, arrivals] of Object.entries(arrivalsOf)) {
      for (const arrival of arrivals) queues.add(key, { arrival });
    }
    return queues;
  };

  test('are empty once their last waiter is gone', () => {
    const queues = of({ a: [1] });
    assert.ok(!queues.isEmpty);
    assert.equal(queues.shift('b'), undefined);
    assert.deepEqual(queues.shift('a'), { arrival: 1 });
    assert.ok(queues.isEmpty);
    assert.equal(queues.length('a'), 0);
  });

  test('give a waiter that returns its former position', () => {
    const queues = of({ a: [1, 3, 5, 2] });
    assert.deepEqual(
      [0, 1, 2, 3, 4].map((position) => queues.at('a', position)?.arrival),
      [1, 2, 3, 5, undefined],
    );
  });

  test('serve the first turn of all queues that can be served', () => {
    const queues = of({ a: [4], b: [2, 3], c: [1] });
    assert.equal(
      queues.next(() => 0),
      'c',
    );
    assert.equal(
      queues.next((key) => (key === 'c' ? undefined : 0)),
      'b',
    );
    // Its first waiter waits for a start in progress: the next one counts.
    assert.equal(
      queues.next((key) => (key === 'c' ? undefined : Number(key === 'b'))),
      'b',
    );
    assert.equal(
      queues.next((key) => (key === 'c' ? undefined : 2 * Number(key === 'b'))),
      'a',
    );
    assert.equal(
      queues.next(() => undefined),
      undefined,
    );
  });

  test('list the waiters of all queues', () => {
    const queues = of({ a: [3, 1], b: [2] });
    assert.deepEqual(
      Array.from(queues.waiters(), ({ arrival }) => arrival),
      [1, 3, 2],
    );
  });

  test('give up all waiters of some queues in the order of their turns', () => {
    const queues = of({ a: [4, 6], b: [2], c: [1, 5] });
    assert.deepEqual(
      queues.takeAll((key) => key !== 'b').map(({ arrival }) => arrival),
      [1, 4, 5, 6],
    );
    assert.equal(queues.length('b'), 1);
    assert.deepEqual(queues.takeAll(), [{ arrival: 2 }]);
    assert.ok(queues.isEmpty);
  });
});

describe('the turns of waiters', () => {
  const version = (id: number): VersionEnvironments => new VersionEnvironments(testVersionSpec(id));

  test('come by their arrival, in whatever version they are', () => {
    const waiters = [
      { version: version(1), arrival: 3 },
      { version: version(2), arrival: 1 },
      { version: version(1), arrival: 2 },
    ];
    assert.deepEqual(
      waiters.toSorted(compareTurns).map(({ arrival }) => arrival),
      [1, 2, 3],
    );
  });
});
