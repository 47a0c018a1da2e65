/** What every host must be able to do, in the tiers that are weaker than this one's. */
import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import type { LauncherSettings } from './supervisor/start-launcher.ts';
import { anyRuns, ownSeconds, untilNoneRuns } from './testing/host-processes.ts';
import { startTestLauncher } from './testing/test-launcher.ts';
import type { TestLauncher } from './testing/test-launcher.ts';

const variants: Record<string, Partial<LauncherSettings>> = {
  'without bubblewrap': { without: ['bwrap'] },
  'without bubblewrap and ip': { without: ['bwrap', 'ip'] },
  user: { strongestTier: 'user' },
  'user without bubblewrap': { strongestTier: 'user', without: ['bwrap'] },
  container: { strongestTier: 'container' },
  bare: { strongestTier: 'bare', without: ['setpriv'] },
};

const linux = process.platform === 'linux';

for (const [name, settings] of Object.entries(variants)) {
  describe(`a launcher, ${name}`, { skip: linux ? false : 'needs /proc' }, () => {
    let t: TestLauncher;
    let code: string;

    before(async () => {
      t = await startTestLauncher(settings);
      code = join(t.folder, 'code');
      await mkdir(code, { mode: 0o755 });
      await writeFile(join(code, 'run'), '#!/bin/sh\necho "ran in $(cat /proc/self/comm)" "$@"\n');
      await chmod(join(code, 'run'), 0o755);
    });
    after(() => t.close());

    test('is no stronger than it may be', () => {
      const { tier, enforced } = t.launcher.isolation;
      assert.notEqual(tier, 'full');
      const strongest = settings.strongestTier ?? 'user';
      assert.ok(
        ['user', 'container', 'bare'].indexOf(tier) >=
          ['user', 'container', 'bare'].indexOf(strongest),
      );
      for (const { strength, by } of Object.values(enforced)) {
        assert.ok(by.length > 5 && strength.length > 0);
      }
    });

    test('runs programs from its mounts, with their environment, and keeps /tmp', async () => {
      const sandbox = await t.open({ mounts: [{ from: code, to: '/var/task' }] });
      const environment = { ROOT: '/var/task', QUOTED: `it's $HOME`, PATH: '/usr/bin:/bin' };
      const command = ['/var/task/run', 'a word', "it's"] as const;
      const direct = await t.run(sandbox, '', { command, environment, directory: '/var/task' });
      assert.equal(direct.output, "ran in cat a word it's\n");
      const script =
        'echo retained >"${TMPDIR:-/tmp}/retained"; "$ROOT/run" one; echo "$QUOTED"; exit 4';
      const first = await t.run(sandbox, script, { environment });
      const second = await t.run(sandbox, 'cat retained');
      await sandbox.close();
      assert.equal(first.output, "ran in cat one\nit's $HOME\n");
      assert.deepEqual(first.end, { kind: 'exited', status: 4 });
      assert.equal(second.output, 'retained\n');
    });

    test('says why a program cannot start', async () => {
      const sandbox = await t.open({ mounts: [{ from: code, to: '/var/task' }] });
      const { end } = await t.run(sandbox, '', { command: ['/var/task/bootstrap'] });
      await sandbox.close();
      assert.ok(end.kind === 'not-started');
      assert.equal(end.reason, 'no-such-file');
      // Callers read it: it has no path of the host.
      assert.equal(end.message, 'Program /var/task/bootstrap not found.');
    });

    test('sets every variable or says which it cannot', async () => {
      const sandbox = await t.open();
      const environment = { PATH: '/usr/bin:/bin', 'with.dot': 'set' };
      const command = ['/usr/bin/env'] as const;
      const { end, output } = await t.run(sandbox, '', { command, environment });
      await sandbox.close();
      if (end.kind === 'not-started') assert.match(end.message, /variable with\.dot cannot be set/);
      else assert.match(output, /^with\.dot=set$/m);
    });

    test('kills what takes more memory than it has', async () => {
      const sandbox = await t.open();
      const { end } = await t.run(sandbox, 'exec tail /dev/zero');
      await sandbox.close();
      assert.deepEqual(end, { kind: 'killed', signal: 'SIGKILL', outOfMemory: true });
    });

    test('kills a program and its children', async () => {
      const sandbox = await t.open();
      const seconds = ownSeconds(32_101);
      const running = await sandbox.start(
        t.program(`sleep ${seconds} & echo up; sleep ${seconds}`),
      );
      await t.printed('up');
      await running.kill();
      await sandbox.close();
      assert.equal((await running.ended).kind, 'killed');
      await untilNoneRuns(seconds);
    });

    test('shows the environment to no one else', async () => {
      const sandbox = await t.open();
      const SECRET = `not-in-lists-${process.pid}`;
      const environment = { SECRET, PATH: '/usr/bin:/bin' };
      const running = await sandbox.start(t.program('echo up; sleep 60', { environment }));
      await t.printed('up');
      const shown = await anyRuns(SECRET);
      await running.kill();
      await sandbox.close();
      assert.equal(shown, false);
    });

    test('keeps its own tools from what the environment sets for the dynamic linker', async (context) => {
      // Where each program that is started writes which files it loads (ld.so(8)): as the program sees /tmp, as the tools see
      // it while they make the sandbox, and where everybody writes.
      const open = join(t.folder, 'open');
      await mkdir(open, { recursive: true });
      await chmod(open, 0o777);
      const started = [];
      for (const folder of ['/tmp', '/sys/tmp', '/work/tmp', open]) {
        const sandbox = await t.open({ mounts: [{ from: open, to: '/mnt/open', writable: true }] });
        const environment = { LD_DEBUG: 'libs', LD_DEBUG_OUTPUT: `${folder}/loaded` };
        await t.run(sandbox, '', { command: ['/bin/true'], environment });
        const { output } = await t.run(
          sandbox,
          `cat /tmp/loaded.* "$TMPDIR"/loaded.* ${open}/loaded.*`,
        );
        started.push(...output.matchAll(/initialize program: (\S+)/g).map(([, path]) => path));
        await sandbox.close();
      }
      if (started.length === 0)
        return context.skip('the dynamic linker of this host writes no such files');
      assert.deepEqual(
        started.filter((path) => path !== '/bin/true' && path !== '/usr/bin/true'),
        [],
      );
    });

    test('hands over connections to the loopback of the sandbox', async () => {
      const mounts = [{ from: process.execPath, to: '/opt/node' }];
      const sandbox = await t.open({ mounts, memoryMiB: 256 });
      const address = await sandbox.listenOnLoopback((socket) => {
        socket.on('error', () => {});
        socket.end('hello from outside');
      });
      const [host, port] = address.split(':');
      const script = `require("net").connect({host:"${host}",port:${port}}).on("data",(d)=>console.log(String(d)))`;
      const { output } = await t.run(sandbox, '', { command: ['/opt/node', '-e', script] });
      await sandbox.close();
      assert.equal(output, 'hello from outside\n');
    });
  });
}
