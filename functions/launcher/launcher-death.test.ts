/** Nothing outlives the launcher, however it ends. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { startChild } from '#platform/child-process.ts';

import { familyName } from './leftovers.ts';
import { startLauncher } from './start-launcher.ts';
import { startTestLauncher } from './testing/test-launcher.ts';

describe(
  'the death of a launcher',
  { skip: process.platform === 'linux' ? false : 'needs /proc' },
  () => {
    test('takes its programs with it, and the next one starts clean', async () => {
      const t = await startTestLauncher();
      const place = await t.open();
      const running = await place.start(t.program('(setsid sleep 76543 &); echo up; sleep 76543'));
      await t.printed('up');
      process.kill(await launcherProcess(), 'SIGKILL');
      assert.deepEqual(await running.ended, {
        kind: 'killed',
        signal: 'SIGKILL',
        outOfMemory: false,
      });
      if (t.launcher.isolation.enforcement.timeout.strength === 'full') {
        assert.equal((await processesWith('sleep\x0076543')).length, 0);
      }
      await assert.rejects(place.start(t.program('true')), /launcher process has ended/);
      await place.close();

      // Open again: another launcher process is started, and what the first one left is gone.
      const next = await t.open();
      const { end, output } = await t.run(next, 'echo again');
      assert.deepEqual([end, output], [{ kind: 'exited', status: 0 }, 'again\n']);
      await next.close();
      await t.close();
      assert.deepEqual(await groupsLeft(familyName(join(t.folder, 'launcher'))), []);
    });

    test('follows that of the process that it serves', async (context) => {
      const folder = await mkdtemp(join(tmpdir(), 'launcher-'));
      const program = join(import.meta.dirname, 'testing', 'start-and-wait.ts');
      const server = startChild({
        command: process.execPath,
        arguments: [program, folder, '65432'],
        environment: {},
        directory: '/',
      });
      await once(server.stdout, 'data');
      const before = await processesWith('sleep\x0065432');
      // The server alone: its launcher has a process group of its own.
      server.kill();
      await server.ended;
      // The launcher removes what it has, at last its own folder's content; then nobody is left.
      for await (const _ of ticks()) if ((await processesWith(folder)).length === 0) break;
      for await (const _ of ticks()) {
        if ((await processesWith('sleep\x0065432')).length === 0) break;
      }
      await rm(folder, { recursive: true, force: true });
      if (before.length === 0) context.diagnostic('The programs are not visible from here.');
    });

    test('leaves files that the next launcher of the folder removes', async () => {
      const t = await startTestLauncher();
      const folder = join(t.folder, 'second');
      await mkdir(join(folder, 'places', 'old'), { recursive: true });
      await writeFile(join(folder, 'temporary-1'), 'old');
      const launcher = await startLauncher({ folder, log: () => {} });
      const names = await readdir(folder);
      await launcher.close();
      await t.close();
      assert.ok(!names.includes('temporary-1'));
    });
  },
);

/** Other tests of this machine have launchers too: ours is the youngest below this process. */
async function launcherProcess(): Promise<number> {
  const all = await processesWith('launcher-process.ts');
  const own = [];
  for (const pid of all)
    if (await descendsFromUs(pid)) own.push({ pid, since: await startOf(pid) });
  // By age: numbers of processes begin again where they have come to their end.
  const youngest = own.toSorted((a, b) => a.since - b.since).at(-1);
  assert.ok(youngest, 'There is no launcher process.');
  return youngest.pid;
}

/** When a process was started, in ticks since the system was. */
async function startOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The name of the program, in parentheses, may hold anything.
  return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[20] ?? 0);
}

async function descendsFromUs(pid: number): Promise<boolean> {
  if (pid === process.pid) return true;
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  return parent > 1 && descendsFromUs(parent);
}

/** Looks again and again, until the test's own time is over. */
async function* ticks(): AsyncGenerator<number> {
  for (let tick = 0; tick < 2000; tick += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    yield tick;
  }
  assert.fail('Something is still running.');
}

async function processesWith(words: string): Promise<number[]> {
  const found = [];
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const command = await readFile(`/proc/${name}/cmdline`, 'latin1').catch(() => '');
    if (command.includes(words)) found.push(Number(name));
  }
  return found.toSorted((a, b) => a - b);
}

async function groupsLeft(family: string): Promise<string[]> {
  const membership = await readFile('/proc/self/cgroup', 'utf8').catch(() => '');
  const path = /^\d+:memory:(.*)$/m.exec(membership)?.[1];
  if (path === undefined) return [];
  const names = await readdir(join('/sys/fs/cgroup/memory', path)).catch(() => []);
  return names.filter((name) => name === family);
}
