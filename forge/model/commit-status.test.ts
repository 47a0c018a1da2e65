import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type CombinedState, rollUp } from './commit-status.ts';

describe('the combined state of a commit', () => {
  const cases: readonly [string, [number, number, number], CombinedState][] = [
    ['no contexts', [0, 0, 0], 'none'],
    ['one failing', [1, 1, 0], 'failure'],
    ['failing and pending', [2, 1, 1], 'failure'],
    ['failing and successful', [2, 1, 0], 'failure'],
    ['pending and successful', [2, 0, 1], 'pending'],
    ['all successful', [3, 0, 0], 'success'],
  ];
  for (const [label, [contexts, failing, pending], state] of cases) {
    it(`is ${state} with ${label}`, () => {
      assert.equal(rollUp({ contexts, failing, pending }), state);
    });
  }
});
