import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { canBeOffline, offline, offlineScenarios } from './offline.ts';

const run = promisify(execFile);

const skip = canBeOffline() ? false : 'needs root, unshare and ip';

const { NODE_TEST_CONTEXT: _, ...env } = process.env;
let passed = 0;

test('there is no route where the scenarios run', { skip }, async () => {
  const { stdout } = await run('unshare', [...offline, 'ip', 'route'], { env });
  assert.equal(stdout, '');
});

// Whole servers. Each is a test of its own, outside of a suite: that would report nothing until all have ended, after minutes.
for (const scenario of offlineScenarios) {
  test(`${scenario} needs no network`, { skip }, async () => {
    const program = [process.execPath, '--test', '--test-reporter=tap', scenario];
    const { stdout } = await run('unshare', [...offline, ...program], {
      env,
      cwd: new URL('..', import.meta.url),
      maxBuffer: 16 * 1024 ** 2,
    }).catch((error: unknown) => assert.fail(failuresOf(error)));
    assert.match(stdout, /^# fail 0$/m);
    assert.match(stdout, /^# skipped 0$/m);
    passed += Number(/^# pass (\d+)$/m.exec(stdout)?.[1]);
  });
}

test('at least 30 tests ran without a network', { skip }, () => {
  assert.ok(passed >= 30, `only ${passed} tests ran`);
});

/** The failed tests of a run alone: those that passed fill more than a report shows. */
function failuresOf(error: unknown): string {
  const stdout = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
  const failed = stdout.split(/^(?= *(?:not )?ok )/m).filter((result) => /^ *not ok /.test(result));
  return failed.join('') || String(error);
}
