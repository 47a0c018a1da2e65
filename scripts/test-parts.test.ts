import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import {
  balancedParts,
  longScenarios,
  partsOf,
  projectFolder,
  shrinkingParts,
} from './test-parts.ts';

const two = { processors: 2, processes: 2 };

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
    assert.deepEqual(partsOf(files, {}, { processors: 1, processes: 2 }).computing, [
      ['forge/git/b.test.ts'],
      ['forge/a.test.ts'],
      ['platform/c.test.ts'],
    ]);
  });

  test('have one scenario each, longest first', () => {
    const [longest = ''] = longScenarios;
    const files = ['forge/a.test.ts', 'forge/b.scenario.test.ts', longest];
    assert.deepEqual(partsOf(files, {}, two), {
      computing: [['forge/a.test.ts']],
      waiting: [[longest], ['forge/b.scenario.test.ts']],
    });
    const times = { 'forge/b.scenario.test.ts': 2000, [longest]: 1000 };
    assert.deepEqual(partsOf(files, times, two).waiting, [['forge/b.scenario.test.ts'], [longest]]);
  });

  for (const file of longScenarios) {
    test(`begin with a scenario that there is: ${file}`, () => {
      assert.ok(existsSync(join(projectFolder, file)));
    });
  }

  test('get smaller, so that no process is alone for long at the end', () => {
    const files = Array.from({ length: 400 }, (_, index) => `${String(index).padStart(3, '0')}.ts`);
    const sizes = shrinkingParts(files, {}, 4).map((part) => part.length);
    assert.deepEqual(
      sizes,
      sizes.toSorted((one, other) => other - one),
    );
    assert.equal(sizes[0], 67);
    assert.ok((sizes.at(-1) ?? 0) <= 12, String(sizes));
    assert.equal(
      sizes.reduce((sum, size) => sum + size, 0),
      400,
    );
  });

  test('are no more than processes where there are few files', () => {
    const files = Array.from({ length: 20 }, (_, index) => `${index}.ts`);
    assert.equal(shrinkingParts(files, {}, 4).length, 4);
  });

  test('are no more than there are files, and contain each file once', () => {
    const files = ['platform/log.test.ts', 'platform/password.test.ts'];
    const parts = balancedParts(files, {}, 8);
    assert.equal(parts.length, 2);
    assert.deepEqual(parts.flat().toSorted(), files);
  });
});
