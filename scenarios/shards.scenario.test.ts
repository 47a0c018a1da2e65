import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { git } from './git-client.ts';
import { until } from './patience.ts';
import {
  emptyDatabaseOf,
  removeFolder,
  type RunningServer,
  startServer,
} from './running-server.ts';

describe('a server with two shards of repositories', { timeout: 240_000 }, () => {
  let folder: string;
  let data: string;
  let second: string;
  let server: RunningServer;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-shards-'));
    data = join(folder, 'data');
    second = join(folder, 'second');
    server = await startServer(data);
    await request('POST', '/user/repos', { name: 'before', auto_init: true });
    await server.admin('add-shard', 'second', '--folder', second);
    await server.stop();
    server = await startServer(data);
  });
  after(async () => {
    await server.kill();
    await removeFolder(folder);
  });

  async function request(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${server.url}/api/v3${path}`, {
      method,
      headers: { authorization: `token ${server.token}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  const names = ['one', 'two', 'three', 'four'];

  async function pushTo(name: string, branch: string): Promise<void> {
    const clone = join(folder, `${name}-${branch}`);
    const url = `${server.url.replace('//', `//root:${server.token}@`)}/root/${name}.git`;
    await git(folder, 'clone', '--quiet', url, clone);
    await git(clone, 'switch', '--quiet', '-c', branch);
    await git(clone, 'commit', '--quiet', '--allow-empty', '-m', branch);
    await git(clone, 'push', '--quiet', 'origin', branch);
  }

  async function repositoriesIn(shard: string): Promise<number> {
    const shown: readonly { name: string; repositories: number }[] = JSON.parse(
      await server.admin('list-shards', '--json'),
    );
    return shown.find(({ name }) => name === shard)?.repositories ?? 0;
  }

  it('creates repositories in both in turn, and templates with what is made from them', async () => {
    for (const name of names) {
      const options = { name, auto_init: true, is_template: true };
      await request('POST', '/user/repos', options);
      await request('POST', `/repos/root/${name}/generate`, { name: `of-${name}` });
      await pushTo(name, 'pushed');
    }
    const inSecond = await repositoriesIn('second');
    assert.ok(inSecond >= 2 && inSecond <= 6, String(inSecond));
    assert.equal((await repositoriesIn('default')) + inSecond, 1 + 2 * names.length);
  });

  it('moves repositories while it runs, and shows how', async () => {
    for (const name of names) {
      const shown = await server.admin('move-network', `root/${name}`, 'second');
      assert.match(
        shown,
        /^(?:Moved root\/\w+ with its forks to|root\/\w+ is in) shard second\.\n$/,
      );
      await pushTo(name, 'moved');
    }
    assert.ok((await repositoriesIn('second')) >= names.length);
    await assert.rejects(server.admin('remove-shard', 'second'));
  });

  it('is backed up as a whole, and restored as one with the default shard', async () => {
    const [backup, restored] = [join(folder, 'backup'), join(folder, 'restored')];
    assert.deepEqual(await once(server.start('backup', backup, '--data', data), 'exit'), [0, null]);
    const database = testPostgresUrl === undefined ? {} : await emptyDatabaseOf(restored);
    const url = database['DATABASE_URL'];
    const options = [
      '--data',
      restored,
      '--verify',
      ...(url === undefined ? [] : ['--database', url]),
    ];
    assert.deepEqual(await once(server.start('restore', backup, ...options), 'exit'), [0, null]);
    const old = server;
    server = await startServer(restored, { environment: database });
    try {
      for (const name of ['before', ...names]) await pushTo(name, 'restored');
      assert.equal(await repositoriesIn('default'), 1 + 2 * names.length);
      assert.equal((await server.admin('list-shards')).trim().split('\n').length, 1);
    } finally {
      await server.kill();
      server = old;
    }
  });

  it('does not start without a folder, nor back up', async () => {
    await server.stop();
    await rename(second, `${second}-away`);
    try {
      await assert.rejects(startServer(data), /shard "second" is not there/);
      const backup = server.start('backup', join(folder, 'no-backup'), '--data', data);
      assert.deepEqual(await once(backup, 'exit'), [1, null]);
    } finally {
      await rename(`${second}-away`, second);
    }
    server = await startServer(data);
    await until(() => pushTo('one', 'again').then(() => true));
  });

  it('has one shard again once the other is empty', async () => {
    const all = await request('GET', '/user/repos?per_page=100');
    assert.ok(Array.isArray(all));
    await server.admin('update-shard', 'second', '--new-repositories', 'off');
    for (const { full_name: name } of all) await server.admin('move-network', name, 'default');
    await server.admin('remove-shard', 'second');
    await server.stop();
    server = await startServer(data);
    for (const name of names) await pushTo(name, 'last');
    const left = await readdir(join(second, 'repositories'), { recursive: true });
    assert.deepEqual(
      left.filter((path) => path.endsWith('.git')),
      [],
    );
  });
});
