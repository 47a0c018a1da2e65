import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a command where there is loopback alone: no route leads anywhere, and there is no name server. */
const offline = [
  '--net',
  '--mount',
  '--propagation',
  'private',
  'sh',
  '-c',
  'ip link set lo up && mount --bind /dev/null /etc/resolv.conf && exec "$@"',
  'sh',
] as const;

const isPossible = spawnSync('unshare', [...offline, 'true']).status === 0;
const skip = isPossible ? false : 'needs root, unshare and ip';

const scenarios = [
  'scenarios/push-to-status.scenario.test.ts',
  'scenarios/push-to-status-kill.scenario.test.ts',
  'scenarios/push-loops.scenario.test.ts',
  'scenarios/npm-clients.scenario.test.ts',
  'scenarios/github-apps.scenario.test.ts',
  'scenarios/push-to-deploy.scenario.test.ts',
  'scenarios/auto-merge.scenario.test.ts',
  'scenarios/functions-reach-the-server.scenario.test.ts',
];

test(
  'push, status and merge, also after a kill, deployments, Probot and the clients of npm work without a network',
  // Whole servers of eight scenarios.
  { skip, timeout: 600_000 },
  async () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const there = await run('unshare', [...offline, 'ip', 'route'], { env });
    assert.equal(there.stdout, '');
    const program = [process.execPath, '--test', '--test-reporter=tap', ...scenarios];
    const { stdout } = await run('unshare', [...offline, ...program], {
      env,
      cwd: new URL('..', import.meta.url),
      maxBuffer: 16 * 1024 ** 2,
    });
    assert.match(stdout, /^# fail 0$/m);
    assert.match(stdout, /^# skipped 0$/m);
    const passed = Number(/^# pass (\d+)$/m.exec(stdout)?.[1]);
    assert.ok(passed >= 30, `only ${passed} tests ran`);
  },
);
