import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import type { Installation } from '../model/app.ts';
import { gitClientEnvironment } from '../testing/git-client.ts';
import { createTestApp, type TestApp } from '../testing/test-app.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('git over HTTP with installation tokens', () => {
  const run = promisify(execFile);
  let forge: TestForge;
  let owner: TestUser;
  let robot: TestApp;
  let installation: Installation;
  let folder: string;
  let address: string;

  before(async () => {
    forge = await startTestForge();
    folder = await mkdtemp(join(tmpdir(), 'hob-git-apps-'));
    address = await forge.listen();
    owner = await forge.user('own');
    await forge.repository(owner, { name: 'in', private: true, init: true });
    await forge.repository(owner, { name: 'out', private: true, init: true });
    await forge.repository(owner, { name: 'public', init: true });
    robot = await createTestApp(forge, owner.account.id, { permissions: { contents: 'write' } });
    installation = await robot.install('own', ['in']);
  });
  after(async () => {
    await forge.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function git(where: string, ...words: string[]): Promise<string> {
    const env = gitClientEnvironment(folder);
    const { stdout, stderr } = await run('git', words, { cwd: where, env });
    return stdout + stderr;
  }

  const remote = (token: string, name: string): string =>
    `http://x-access-token:${token}@${address}/own/${name}.git`;

  test('clone and push where they may write', async () => {
    const { token } = await robot.token(installation);
    await git(folder, 'clone', '-q', remote(token, 'in'), 'in');
    const clone = join(folder, 'in');
    await writeFile(join(clone, 'new.txt'), 'new\n');
    await git(clone, 'add', '-A');
    await git(clone, 'commit', '-qm', 'By a bot');
    await git(clone, 'push', '-q', 'origin', 'HEAD');
    const [latest] = (await owner.get('/repos/own/in/commits')).body;
    assert.equal(latest.commit.message, 'By a bot');
  });

  test('do not reach repositories that are not theirs, and push to none of those', async () => {
    const { token } = await robot.token(installation);
    await assert.rejects(git(folder, 'ls-remote', remote(token, 'out')), /not found/i);
    await git(folder, 'clone', '-q', remote(token, 'public'), 'public');
    const push = git(join(folder, 'public'), 'push', 'origin', 'HEAD:refs/heads/x');
    await assert.rejects(push, /403/);
  });

  test('that may only read do not push, and those that ended do nothing', async () => {
    const reader = await robot.token(installation, { permissions: { contents: 'read' } });
    await git(folder, 'clone', '-q', remote(reader.token, 'in'), 'reader');
    const push = git(join(folder, 'reader'), 'push', 'origin', 'HEAD:refs/heads/x');
    await assert.rejects(push, /403/);
    const blind = await robot.token(installation, { permissions: { metadata: 'read' } });
    await assert.rejects(git(folder, 'ls-remote', remote(blind.token, 'in')), /403/);
    await reader.delete('/installation/token');
    await assert.rejects(
      git(folder, 'ls-remote', remote(reader.token, 'in')),
      /Authentication|401/i,
    );
  });
});
