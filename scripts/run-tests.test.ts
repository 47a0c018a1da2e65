import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, test } from 'node:test';

import { balancedParts, partsOf, TestRun } from './run-tests.ts';
import { asLine } from './test-reporter.ts';

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

describe('a part of a test run', () => {
  const counts = { tests: 1, passed: 1, failed: 0, cancelled: 0, skipped: 0, todo: 0 };
  const report = `require('fs').writeSync(3, ${JSON.stringify(JSON.stringify({ kind: 'counts', counts }))} + '\\n');`;

  for (const [label, script, expected] of [
    ['that ends is worth its status', report, 0],
    ['that does not end is killed, and has failed', `${report} setInterval(() => {}, 1000);`, 1],
    ['that ends without its counts has failed', '', 1],
    ['that reports nothing is killed, and has failed', 'setInterval(() => {}, 1000);', 1],
  ] as const) {
    test(label, async () => {
      const child = spawn(process.execPath, ['-e', script], {
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      });
      // Enough for the first to end on a busy machine.
      const patience = expected === 0 ? 60_000 : 100;
      assert.equal(await new TestRun(1, () => {}).follow(child, patience, patience), expected);
    });
  }
});

test('a report is one line, whatever a failed assertion quotes', () => {
  const entry = { error: 'a\nb\u2028c\u2029d' };
  assert.doesNotMatch(asLine(entry), /[\n\u2028\u2029]/);
  assert.deepEqual(JSON.parse(asLine(entry)), entry);
});
