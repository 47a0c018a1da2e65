import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { RefusalError } from '#forge/errors/api-error.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { readSettings } from '#settings/settings.ts';

import { administer } from './administration.ts';
import { type Result, readArgs } from './subcommand.ts';
import { subcommands } from './subcommands.ts';

describe('hob admin, for GitHub Apps,', () => {
  let parent = '';

  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'hob-admin-apps-'));
    await run('create-user', 'ada');
  });
  after(() => rm(parent, { recursive: true }));

  async function run(name: string, ...args: string[]): Promise<Result> {
    const subcommand = subcommands.find((one) => one.name === name) ?? assert.fail(name);
    const read = readArgs(subcommand, args, []);
    const settings = readSettings(['--data', join(parent, 'data')], {});
    assert.ok(read.kind === 'given' && settings.kind === 'settings');
    return administer(settings.settings, (ports) => subcommand.run(ports, read.args));
  }

  it('refuses owners, permissions and Apps that are not there', async () => {
    await assert.rejects(run('create-app', 'Robot'), OperatorError);
    await assert.rejects(run('create-app', 'Robot', '--owner', 'nobody'), RefusalError);
    const odd = ['--owner', 'ada', '--permissions', 'contents=everything'];
    await assert.rejects(run('create-app', 'Robot', ...odd), RefusalError);
    await assert.rejects(run('install-app', 'robot', 'ada'), OperatorError);
    await assert.rejects(run('replace-app-key', 'robot'), OperatorError);
  });

  it('creates an App, installs it and replaces its key, which is printed once', async () => {
    const options = {
      owner: 'ada',
      permissions: 'contents=write,checks',
      events: 'push',
      'webhook-url': 'https://app.test/hook',
    };
    const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    const created = await run('create-app', 'My Robot', ...words);
    const { id, slug, privateKey, webhookSecret } = Object(created.json);
    assert.equal(slug, 'my-robot');
    assert.match(webhookSecret, /^[0-9a-f]{40}$/);
    assert.equal(createPrivateKey(privateKey).asymmetricKeyType, 'rsa');
    await assert.rejects(run('create-app', 'my robot', '--owner', 'ada'), RefusalError);
    await assert.rejects(run('create-app', 'Other', '--owner', 'my-robot[bot]'), RefusalError);
    await assert.rejects(run('install-app', 'my-robot', 'my-robot[bot]'), RefusalError);
    const installed = await run('install-app', 'my-robot', 'ada');
    assert.deepEqual(installed.json, {
      id: 1,
      appId: id,
      appSlug: 'my-robot',
      account: 'ada',
      repositorySelection: 'all',
    });
    const odd = ['--repositories', 'none'];
    await assert.rejects(run('install-app', 'my-robot', 'ada', ...odd), RefusalError);
    const replaced = await run('replace-app-key', 'my-robot');
    assert.notEqual(Object(replaced.json).privateKey, privateKey);
    const users = await run('list-users');
    assert.equal(users.lines.length, 1, 'the bot is no user');
  });
});
