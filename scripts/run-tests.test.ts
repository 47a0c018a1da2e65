import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, test } from 'node:test';

import { TestRun } from './run-tests.ts';
import { projectFolder } from './test-parts.ts';
import { asLine } from './test-reporter.ts';

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
      assert.equal(await new TestRun(1, () => {}).follow(child, [], patience, patience), expected);
    });
  }
});

describe('a file that failed', () => {
  const counts = { tests: 2, passed: 1, failed: 1, cancelled: 0, skipped: 0, todo: 0 };
  const failure = {
    kind: 'failed',
    file: `${projectFolder}/a.test.ts`,
    line: 1,
    name: 'a',
    error: 'no',
  };
  const follow = async (
    reports: readonly object[],
    status: number,
  ): Promise<[TestRun, string[]]> => {
    const lines = reports.map((report) => JSON.stringify(report)).join('\n');
    const script = `require('fs').writeSync(3, ${JSON.stringify(`${lines}\n`)}); process.exitCode = ${status};`;
    const child = spawn(process.execPath, ['-e', script], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const written: string[] = [];
    const run = new TestRun(1, (text) => void written.push(text));
    await run.follow(child, ['a.test.ts', 'b.test.ts'], 60_000, 60_000);
    return [run, written];
  };

  test('fails the run until it has passed alone, and is named then', async () => {
    const [run, written] = await follow([failure, { kind: 'counts', counts }], 1);
    assert.equal(run.passed, false);
    assert.deepEqual(run.failedFiles, ['a.test.ts']);
    run.countAsUnstable('a.test.ts');
    assert.equal(run.passed, true);
    run.printSummary(1);
    assert.match(written.join(''), /unstable: a\.test\.ts failed[\s\S]*pass 2\nℹ fail 0/);
  });

  test('is taken back also if it took too long', async () => {
    const tooLong = { ...counts, failed: 0, cancelled: 1 };
    const [run, written] = await follow([failure, { kind: 'counts', counts: tooLong }], 1);
    run.countAsUnstable('a.test.ts');
    run.printSummary(1);
    assert.match(written.join(''), /pass 2\nℹ fail 0\nℹ cancelled 0/);
  });

  test('does not excuse a process that ended early', async () => {
    const [run] = await follow([failure], 1);
    run.countAsUnstable('a.test.ts');
    assert.equal(run.passed, false);
  });

  test('names the files of which a process that ended early has reported nothing', async () => {
    const ended = { ...failure, kind: 'ended', tests: 1, passed: true, milliseconds: 1 };
    const [, written] = await follow([ended], 1);
    assert.match(
      written.join(''),
      /ended early, by status 1\.\n {2}It ran a\.test\.ts\.\n {2}Nothing was reported of b\.test\.ts\./,
    );
  });

  test('does not excuse a process that ended badly without a failed test', async () => {
    const ended = { ...failure, kind: 'ended', tests: 1, passed: true, milliseconds: 1 };
    const strayError = { kind: 'strayError', message: 'Error: after the end' };
    const [run, written] = await follow([ended, strayError, { kind: 'counts', counts }], 1);
    assert.equal(run.passed, false);
    run.printSummary(1);
    assert.match(
      written.join(''),
      /✖ A test process ended by status 1 without a failed test\.\n {2}Error: after the end\n {2}It ran a\.test\.ts\.[\s\S]*fail 2/,
    );
  });

  test('does not excuse an error after the end of another test', async () => {
    const strayError = { kind: 'strayError', message: 'Error: after the end' };
    const [run] = await follow([failure, strayError, { kind: 'counts', counts }], 1);
    run.countAsUnstable('a.test.ts');
    assert.equal(run.passed, false);
  });
});

test('a report is one line, whatever a failed assertion quotes', () => {
  const entry = { error: 'a\nb\u2028c\u2029d' };
  assert.doesNotMatch(asLine(entry), /[\n\u2028\u2029]/);
  assert.deepEqual(JSON.parse(asLine(entry)), entry);
});
