/** Nothing outlives the launcher, however it ends. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { startChild } from '#platform/child-process.ts';

import { LauncherUnavailableError, type Sandbox } from './launcher.ts';
import { cgroupParent } from './supervisor/stale-state.ts';
import { startLauncher } from './supervisor/start-launcher.ts';
import { ownSeconds } from './testing/host-processes.ts';
import { findLauncher, killLauncher, processesWith } from './testing/launcher-pid.ts';
import { startTestLauncher, type TestLauncher } from './testing/test-launcher.ts';

describe(
  'the death of a launcher',
  { skip: process.platform === 'linux' ? false : 'needs /proc' },
  () => {
    test('takes its programs with it, and the next one starts clean', async () => {
      const t = await startTestLauncher();
      const sandbox = await t.open();
      const seconds = ownSeconds(76_543);
      const running = await sandbox.start(
        t.program(`(setsid sleep ${seconds} &); echo up; sleep ${seconds}`),
      );
      await t.printed('up');
      await killLauncher();
      assert.deepEqual(await running.ended, { kind: 'lost' });
      if (t.launcher.isolation.enforced.timeout.strength === 'full') {
        assert.equal((await processesWith(`sleep\0${seconds}`)).length, 0);
      }
      await assert.rejects(sandbox.start(t.program('true')), /launcher process exited/);
      await sandbox.close();

      // Open again: another launcher process is started, and what the first one left is gone.
      const next = await openOnceThere(t);
      const { end, output } = await t.run(next, 'echo again');
      assert.deepEqual([end, output], [{ kind: 'exited', status: 0 }, 'again\n']);
      await next.close();
      await t.close();
      assert.deepEqual(await groupsLeft(cgroupParent(join(t.folder, 'launcher'))), []);
    });

    for (const { patienceMilliseconds, about } of [
      { patienceMilliseconds: 60_000, about: 'is not noticed while callers wait for the next one' },
      { patienceMilliseconds: 0, about: 'makes it unavailable until there is another one' },
    ]) {
      test(about, async () => {
        const lines: string[] = [];
        const log = (line: string): void => void lines.push(line);
        const t = await startTestLauncher({ patienceMilliseconds, log });
        assert.equal(t.launcher.isAvailable, true);
        await killLauncher();
        for await (const _ of ticks()) if (lines.some((line) => /Restarting/.test(line))) break;
        assert.equal(t.launcher.isAvailable, patienceMilliseconds > 0);
        for await (const _ of ticks()) if (t.launcher.isAvailable) break;
        await (await openOnceThere(t)).close();
        assert.equal(t.launcher.isAvailable, true);
        await t.close();
      });
    }

    test('follows when it hangs', async () => {
      const lines: string[] = [];
      const t = await startTestLauncher({
        log: (line) => lines.push(line),
        heartbeat: { intervalMilliseconds: 50, silenceMilliseconds: 2000 },
      });
      const sandbox = await t.open();
      const seconds = ownSeconds(76_544);
      const running = await sandbox.start(t.program(`echo up; sleep ${seconds}`));
      await t.printed('up');
      const hanging = await findLauncher();
      assert.ok(hanging !== undefined);
      process.kill(hanging, 'SIGSTOP');
      // Asked of it while it hangs.
      const opened = t.open();
      await assert.rejects(opened, { name: 'LauncherLostError' });
      assert.deepEqual(await running.ended, { kind: 'lost' });
      await sandbox.close();
      assert.match(lines.join('\n'), /does not answer any more, and is killed/);
      if (t.launcher.isolation.enforced.timeout.strength === 'full') {
        assert.equal((await processesWith(`sleep\0${seconds}`)).length, 0);
      }
      await (await openOnceThere(t)).close();
      assert.notEqual(await findLauncher(), hanging);
      await t.close();
    });

    // Well below the time that a start may take.
    test(
      'is followed by a stop at once, also while the next one starts',
      { timeout: 40_000 },
      async () => {
        const t = await startTestLauncher();
        const first = await killLauncher();
        let next: number | undefined;
        for await (const _ of ticks()) {
          next = await findLauncher();
          if (next !== undefined && next !== first) break;
        }
        assert.ok(next !== undefined);
        process.kill(next, 'SIGSTOP');
        await t.close();
        assert.equal((await processesWith('launcher-process.ts')).includes(next), false);
      },
    );

    test('follows that of the process that it serves', async (context) => {
      const folder = await mkdtemp(join(tmpdir(), 'launcher-'));
      const program = join(import.meta.dirname, 'testing', 'start-and-wait.ts');
      const seconds = ownSeconds(65_432);
      const server = startChild({
        command: process.execPath,
        arguments: [program, folder, seconds],
        environment: {},
        directory: '/',
      });
      await once(server.stdout, 'data');
      const before = await processesWith(`sleep\0${seconds}`);
      // The server alone: its launcher has a process group of its own.
      server.kill();
      await server.ended;
      // The launcher removes what it has, at last its own folder's content; then no one is left.
      for await (const _ of ticks()) if ((await processesWith(folder)).length === 0) break;
      for await (const _ of ticks()) {
        if ((await processesWith(`sleep\0${seconds}`)).length === 0) break;
      }
      await rm(folder, { recursive: true, force: true });
      if (before.length === 0) context.diagnostic('The programs are not visible from here.');
    });

    test('leaves files that the next launcher of the folder removes', async () => {
      const t = await startTestLauncher();
      const folder = join(t.folder, 'second');
      await mkdir(join(folder, 'sandboxes', 'old'), { recursive: true });
      await writeFile(join(folder, 'temporary-1'), 'old');
      const launcher = await startLauncher({ folder, log: () => {} });
      const names = await readdir(folder);
      await launcher.close();
      await t.close();
      assert.ok(!names.includes('temporary-1'));
    });
  },
);

/** On a busy host the next launcher may take longer to start than it is waited for. */
async function openOnceThere(t: TestLauncher): Promise<Sandbox> {
  for (let attempt = 0; attempt < 15; attempt += 1) {
    try {
      return await t.open();
    } catch (error) {
      if (!(error instanceof LauncherUnavailableError)) throw error;
    }
  }
  assert.fail('There is no launcher again.');
}

/** Looks again and again, until the test's own time is over. */
async function* ticks(): AsyncGenerator<number> {
  for (let tick = 0; tick < 2000; tick += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    yield tick;
  }
  assert.fail('Something is still running.');
}

async function groupsLeft(family: string): Promise<string[]> {
  const membership = await readFile('/proc/self/cgroup', 'utf8').catch(() => '');
  const path = /^\d+:memory:(.*)$/m.exec(membership)?.[1];
  if (path === undefined) return [];
  const names = await readdir(join('/sys/fs/cgroup/memory', path)).catch(() => []);
  return names.filter((name) => name === family);
}
