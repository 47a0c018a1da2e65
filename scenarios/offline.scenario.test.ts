import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { canBeOffline, offline, offlineScenarios } from './offline.ts';

const run = promisify(execFile);

const skip = canBeOffline() ? false : 'needs root, unshare and ip';

test(
  'push, status and merge, also after a kill, deployments, Probot and the clients of npm work without a network',
  // Whole servers of eight scenarios.
  { skip, timeout: 600_000 },
  async () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const there = await run('unshare', [...offline, 'ip', 'route'], { env });
    assert.equal(there.stdout, '');
    const program = [process.execPath, '--test', '--test-reporter=tap', ...offlineScenarios];
    const { stdout } = await run('unshare', [...offline, ...program], {
      env,
      cwd: new URL('..', import.meta.url),
      maxBuffer: 16 * 1024 ** 2,
    }).catch((error: unknown) => assert.fail(failuresOf(error)));
    assert.match(stdout, /^# fail 0$/m);
    assert.match(stdout, /^# skipped 0$/m);
    const passed = Number(/^# pass (\d+)$/m.exec(stdout)?.[1]);
    assert.ok(passed >= 30, `only ${passed} tests ran`);
  },
);

/** The failed tests of a run alone: those that passed fill more than a report shows. */
function failuresOf(error: unknown): string {
  const stdout = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
  const failed = stdout.split(/^(?= *(?:not )?ok )/m).filter((result) => /^ *not ok /.test(result));
  return failed.join('') || String(error);
}
