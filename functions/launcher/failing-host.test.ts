/** What the host refuses costs what was asked for, and nothing else. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
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
