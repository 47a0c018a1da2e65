import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { EnvironmentGroup } from './pooled-environment.ts';
import { testVersionSpec } from './testing/test-version-spec.ts';
import { compareTurns } from './turn.ts';

describe('the turns of waiters', () => {
  const group = (id: number): EnvironmentGroup => new EnvironmentGroup(testVersionSpec(id));

  test('come by their arrival, in whatever group they are', () => {
    const waiters = [
      { group: group(1), arrival: 3 },
      { group: group(2), arrival: 1 },
      { group: group(1), arrival: 2 },
    ];
    assert.deepEqual(
      waiters.toSorted(compareTurns).map(({ arrival }) => arrival),
      [1, 2, 3],
    );
  });
});
