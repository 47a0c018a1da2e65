/** What the host refuses costs what was asked for, and nothing else. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

import { findLauncher } from './testing/launcher-pid.ts';
import { startTestLauncher } from './testing/test-launcher.ts';

const run = promisify(execFile);
const canLimit = await run('prlimit', ['--version']).then(
  () => process.platform === 'linux' && process.getuid?.() === 0,
  () => false,
);

describe('a launcher without file numbers', { skip: canLimit ? false : 'needs prlimit' }, () => {
  it('refuses what it is asked for, and goes on once it has some again', async () => {
    const t = await startTestLauncher();
    const pid = String((await findLauncher()) ?? '');
    const limit = (files: string) => run('prlimit', ['--pid', pid, `--nofile=${files}`]);
    const before = await readFile(`/proc/${pid}/limits`, 'utf8');
    const usual = /^Max open files\s+(\d+)\s+(\d+)/m.exec(before);
    const sandbox = await t.open();
    await limit('5:');
    await assert.rejects(t.open(), /EMFILE/);
    await assert.rejects(sandbox.start(t.program('true')), /EMFILE/);
    await assert.rejects(sandbox.close(), /EMFILE/);
    await limit(`${usual?.[1]}:`);
    assert.equal(String(await findLauncher()), pid);
    const next = await t.open();
    const { end, output } = await t.run(next, 'echo again');
    assert.deepEqual([end, output], [{ kind: 'exited', status: 0 }, 'again\n']);
    await next.close();
    await t.close();
  });
});

describe('a sandbox that cannot be opened', () => {
  it('leaves nothing behind', async () => {
    const t = await startTestLauncher();
    const own = join(t.folder, 'launcher');
    const usual = await t.open();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const mounts = [{ from: '/no/such/folder', to: '/opt' }];
      await assert.rejects(t.open({ mounts }), /ENOENT/);
    }
    await usual.close();
    const images = (await readdir(own)).filter((name) => name.startsWith('temporary'));
    // Two are made in advance.
    assert.ok(images.length <= 2, images.join(' '));
    await t.close();
  });

  it('releases the mounts of its folders when it has no storage', async (context) => {
    const t = await startTestLauncher();
    try {
      if (t.launcher.isolation.tier !== 'full') {
        return context.skip('storage has no file system of its own');
      }
      // More than are retained for the next sandbox, and each behind a folder that only the server may traverse.
      const folders = Array.from({ length: 70 }, (_, number) =>
        join(t.folder, 'closed', `${number}`),
      );
      await mkdir(join(t.folder, 'closed'), { mode: 0o700 });
      for (const from of folders) {
        await mkdir(from);
        const mounted = t.open({
          mounts: [{ from, to: '/opt' }],
          ephemeralStorageMiB: 2 ** 42,
        });
        await assert.rejects(mounted);
      }
      const left = await mountsOf(t.folder);
      assert.ok(left > 0 && left <= 64, `${left} mounts are left`);
    } finally {
      await t.close();
    }
  });

  it('leaves no file open where its network cannot be', async (context) => {
    const t = await startTestLauncher();
    try {
      if (t.launcher.isolation.enforced.network.strength !== 'full') {
        return context.skip('programs share the network of the host');
      }
      const target = { name: 'db.test', port: 5432, forwardTo: '127.0.0.1:1' };
      const network = { kind: 'declared', targets: [target, target] } as const;
      const openFiles = async (): Promise<number> =>
        (await readdir(`/proc/${await findLauncher()}/fd`)).length;
      await assert.rejects(t.open({ network }), /127\.0\.1\.1:5432/);
      const before = await openFiles();
      const attempts = 10;
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        await assert.rejects(t.open({ network }), /127\.0\.1\.1:5432/);
      }
      // Storage that is made in advance has some open for a moment.
      assert.ok((await openFiles()) < before + attempts);
    } finally {
      await t.close();
    }
  });
});

/** How many folders of `closed` are mounted, in the launcher's own mount namespace. */
async function mountsOf(folder: string): Promise<number> {
  const list = await readFile(`/proc/${await findLauncher()}/mountinfo`, 'utf8');
  return list.split('\n').filter((line) => line.includes(`/${basename(folder)}/closed/`)).length;
}
