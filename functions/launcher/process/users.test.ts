import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { asUserCommand, UserRange } from './users.ts';
import { findHostTools } from './host-tools.ts';
import { runTool } from './start-process.ts';

import { ownSeconds, userRunning } from '../testing/host-processes.ts';
import { startTestLauncher } from '../testing/test-launcher.ts';

describe('users of programs', { skip: process.platform === 'linux' ? false : 'Linux only' }, () => {
  test('are never those of another server, whatever its folder is called', async () => {
    const ranges = await Promise.all(
      ['/data', '/data', '/other'].map((folder) => UserRange.claim(folder)),
    );
    const users = ranges.flatMap((range) => [range.first, range.next(), range.next()]);
    assert.equal(new Set(users).size, users.length);
    for (const user of users) assert.ok(user > 1_879_048_192 && user < 2 ** 31 - 1, `${user}`);
  });

  test('are others in two launchers at once', async (context) => {
    const launchers = await Promise.all([startTestLauncher(), startTestLauncher()]);
    const users = await Promise.all(
      launchers.map(async (t, index) => {
        const sandbox = await t.open();
        const waits = `echo here; sleep ${ownSeconds(index + 1000)}; :`;
        await sandbox.start(t.program(waits));
        await t.printed('here');
        return userRunning(`/bin/sh\x00-c\x00${waits}`);
      }),
    );
    const shared = launchers.some(
      ({ launcher }) => launcher.isolation.enforced.user.strength !== 'full',
    );
    await Promise.all(launchers.map((t) => t.close()));
    if (shared) return context.skip('sandboxes have no users of their own here');
    assert.notEqual(users[0], users[1]);
    assert.ok(
      users.every((user) => user > 1_900_000_000),
      users.join(),
    );
  });

  test('pass through closed folders of the server where there are no mounts, and no one else does', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'hob-closed-'));
    const code = join(folder, 'code');
    await mkdir(join(folder, 'launcher'));
    await mkdir(code);
    const script = `#!/bin/sh\necho ran; ls ${folder} 2>/dev/null; cat ${folder}/secret\n`;
    await writeFile(join(code, 'run'), script);
    await chmod(code, 0o755);
    await chmod(join(code, 'run'), 0o755);
    await writeFile(join(folder, 'secret'), 'secret', { mode: 0o600 });
    const t = await startTestLauncher({
      strongestTier: 'container',
      folder: join(folder, 'launcher'),
      ownFolders: [folder],
    });
    const { tier } = t.launcher.isolation;
    const mounts = [{ from: code, to: '/var/task' }];
    const sandbox = await t.open({ mounts });
    const { output } = await t.run(sandbox, '', { command: ['/var/task/run'] });
    await sandbox.close();
    const { mode, gid } = await stat(folder);
    const tools = findHostTools();
    const asNobody = [tools.setpriv ?? '', ...asUserCommand(65534), 'ls', code] as const;
    const others =
      tier === 'container'
        ? await runTool([...asNobody]).then(
            () => 'in',
            () => 'out',
          )
        : 'out';
    await t.close();
    await rm(folder, { recursive: true, force: true });
    if (tier !== 'container') return context.skip('programs are the user of Hob here');
    assert.match(output, /^ran\n.*Permission denied/);
    assert.doesNotMatch(output, /^secret/m);
    assert.equal(others, 'out');
    assert.equal(mode & 0o777, 0o710);
    assert.ok(gid > 1_900_000_000 - 1);
  });
});
