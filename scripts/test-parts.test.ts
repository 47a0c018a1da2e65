import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { balancedParts, partsOf } from './test-parts.ts';

describe('parts of a test run', () => {
  test('share the work out by what it took the last time', () => {
    const times = { 'a.test.ts': 10, 'b.test.ts': 60, 'c.test.ts': 30, 'd.test.ts': 30 };
    assert.deepEqual(balancedParts(Object.keys(times), times, 2), [
      ['a.test.ts', 'b.test.ts'],
      ['c.test.ts', 'd.test.ts'],
    ]);
  });

  test('take a file without a time for an average one', () => {
    const times = { 'a.test.ts': 60, 'b.test.ts': 20 };
    assert.deepEqual(balancedParts(['a.test.ts', 'b.test.ts', 'new.test.ts'], times, 2), [
      ['a.test.ts'],
      ['b.test.ts', 'new.test.ts'],
    ]);
  });

  test('have no file that starts many processes together with others', () => {
    const files = ['forge/a.test.ts', 'forge/git/b.test.ts', 'platform/c.test.ts'];
    assert.deepEqual(partsOf(files, {}, 1), [
      ['forge/git/b.test.ts'],
      ['forge/a.test.ts'],
      ['platform/c.test.ts'],
    ]);
  });

  test('are no more than there are files, and contain each file once', () => {
    const files = ['platform/log.test.ts', 'platform/password.test.ts'];
    const parts = balancedParts(files, {}, 8);
    assert.equal(parts.length, 2);
    assert.deepEqual(parts.flat().toSorted(), files);
  });
});
