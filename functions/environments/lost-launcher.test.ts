/** The process that starts functions is killed at any time, and functions run again without anybody's help. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { systemRandom } from '#platform/random.ts';

import { ownSeconds } from '../launcher/testing/host-processes.ts';
import { findLauncher, killLauncher, processesWith } from '../launcher/testing/launcher-pid.ts';
import type { EventOutcome } from './pool/environment-pool.ts';
import type { VersionSpec } from './version-spec.ts';
import { startRealEnvironments, type RealEnvironments } from './testing/real-environments.ts';

/** `HOB_KILL_CYCLES=100 npm test -- lost-launcher` looks at rarer times. */
const cycles = Number(process.env['HOB_KILL_CYCLES'] ?? 3);
/** Five seconds are promised in docs/reliability.md, on a host that is not busy. */
const answerMillisecondsMax = 30_000;

const sleeper = ownSeconds(76_541);
const files = {
  'index.js': `
const { spawn } = require('node:child_process');
spawn('sleep', ['${sleeper}'], { detached: true, stdio: 'ignore' }).unref();
exports.handler = async ({ milliseconds = 0 }) => {
  if (milliseconds > 1000) console.log('working');
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  return 'done';
};`,
};

describe(
  'functions whose launcher is killed',
  { skip: process.platform === 'linux' ? false : 'needs /proc' },
  () => {
    let environments: RealEnvironments;
    before(async () => {
      environments = await startRealEnvironments({ environmentsMax: 3 });
    });
    after(() => environments.close());

    it('are answered as faults of the service, and run again in a new one', async () => {
      const spec = await environments.spec(files, { Timeout: 60 });
      const idle = await environments.spec({ ...files, 'other.txt': '' });
      assert.equal(await environments.invoke(idle), 'done');
      assert.equal(await environments.invoke(spec), 'done');
      const underWay = invoke(environments, spec, { milliseconds: 60_000 });
      await environments.printed('working');
      assert.notEqual((await processesWith(`sleep\0${sleeper}`)).length, 0);
      await killLauncher();
      assert.equal((await underWay).kind, 'lost');
      // Those that were idle are gone as well: no one gets an event that could not run.
      await Promise.all([untilAnswered(environments, spec), untilAnswered(environments, idle)]);
      const report = environments.lines.filter((line) => line.includes('Status: failure'));
      assert.match(report.join('\n'), /^REPORT .*\tStatus: failure\tError Type: Sandbox.Failure$/m);
    });

    it('leave no process, no mount and no file of the dead one', async () => {
      const spec = await environments.spec({ ...files, 'third.txt': '' });
      let killed: number | undefined;
      for (let cycle = 0; cycle < cycles; cycle += 1) {
        const events = Array.from({ length: 6 }, () =>
          invoke(environments, spec, { milliseconds: systemRandom.fraction() * 200 }),
        );
        // At any time: this test tries many.
        await new Promise((resolve) => setTimeout(resolve, systemRandom.fraction() * 400));
        if ((await findLauncher()) !== undefined) killed = await killLauncher();
        // Some were done before, some were lost, some ran in the next: all are answered.
        await Promise.all(events);
      }
      // The last death may be noticed by this event only, which then is lost as well.
      await untilAnswered(environments, spec, ['not-started', 'lost']);
      // Programs of the dead one may answer until the kernel has ended them; what is left is for the next one to remove.
      while ([undefined, killed].includes(await findLauncher()));
      // It has removed that before its first function runs: a stop may come while it starts.
      await untilAnswered(environments, spec, ['not-started', 'lost']);
      await environments.stop();
      assert.deepEqual(await processesWith(`sleep\0${sleeper}`), []);
      assert.deepEqual(await readdir(join(environments.folder, 's')), []);
      assert.deepEqual(await readdir(join(environments.folder, 'launcher')), []);
      const mounts = await readFile('/proc/self/mountinfo', 'utf8');
      assert.ok(!mounts.includes(environments.folder));
    });
  },
);

/** On a busy host the next launcher may take longer to start than an event waits for it. */
async function untilAnswered(
  environments: RealEnvironments,
  spec: VersionSpec,
  until: readonly string[] = ['not-started'],
): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const { kind } = await invoke(environments, spec);
    if (kind === 'answered') return;
    assert.ok(until.includes(kind), kind);
  }
  assert.fail('Functions do not run again.');
}

async function invoke(
  { pool }: RealEnvironments,
  spec: VersionSpec,
  event: unknown = {},
): Promise<EventOutcome> {
  const startedAt = performance.now();
  const { milliseconds = 0 } = Object(event);
  const invoked = await pool.runEvent(spec, {
    requestId: systemRandom.id(),
    functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:f',
    traceHeader: 'Root=1-0-0',
    payload: Buffer.from(JSON.stringify(event)),
  });
  if (invoked.kind === 'answered') await invoked.logTail;
  const took = performance.now() - startedAt;
  const most = answerMillisecondsMax + (milliseconds > 1000 ? 0 : milliseconds);
  assert.ok(took < most, `An event was answered after ${took} ms.`);
  return invoked;
}
