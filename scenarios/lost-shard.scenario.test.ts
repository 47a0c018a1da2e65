import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { freePort } from '../faults/server-under-test.ts';
import { git } from './git-client.ts';
import { until } from './patience.ts';
import { databaseOf, removeFolder, type RunningServer, startServer } from './running-server.ts';

const canUnmount = spawnSync('unshare', ['--mount', 'true']).status === 0;
const skip =
  (testPostgresUrl === undefined && 'is of PostgreSQL') ||
  (!canUnmount && 'mount namespaces are not allowed here');

describe('a cluster of which one node reaches a shard', { skip, timeout: 240_000 }, () => {
  let folder: string;
  let volume: string;
  let environment: Record<string, string>;
  let near: RunningServer;
  let far: RunningServer;
  const inShard: Record<string, string> = {};
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-lost-shard-'));
    volume = join(folder, 'volume');
    environment = {
      ...(await databaseOf(folder)),
      HOB_NODE_ADDRESS: '127.0.0.1:0',
      HOB_CLUSTER_DATA: join(folder, 'shared'),
      HOB_BASE_URL: 'http://code.test',
      HOB_METRICS: 'loopback',
    };
    near = await start('near');
    await near.admin('add-shard', 'second', '--folder', volume);
    far = await start('far', volume);
    await until(async () => ((await shardsOf(far))['second'] === 'available' ? true : undefined));
    // The far node gets the shard that it reaches. Pushes at that time may fail.
    const spread = async (): Promise<boolean> => {
      const [one, other] = [await ownerOf('default'), await ownerOf('second')];
      return one !== undefined && other !== undefined && one !== other;
    };
    await until(async () => ((await spread()) ? true : undefined), { seconds: 60 });
  });
  after(async () => {
    await near.kill();
    await far.kill();
    await removeFolder(folder);
  });

  async function start(name: string, unmounted?: string): Promise<RunningServer> {
    const port = await freePort();
    const options = { environment, port, ...(unmounted !== undefined && { unmounted }) };
    return { ...(await startServer(join(folder, name), options)), url: `http://127.0.0.1:${port}` };
  }

  async function request(
    server: RunningServer,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: string }> {
    const response = await fetch(`${server.url}/api/v3${path}`, {
      method,
      headers: { authorization: `token ${server.token}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.text() };
  }

  async function shardsOf(server: RunningServer): Promise<Readonly<Record<string, string>>> {
    const response = await fetch(`${server.url}/readyz`);
    assert.equal(response.status, 200);
    const { shards = {} }: { shards?: Record<string, string> } = JSON.parse(await response.text());
    return shards;
  }

  async function ownerOf(shard: string): Promise<string | undefined> {
    const listed: readonly { name: string; owner: { name: string } | null }[] = JSON.parse(
      await near.admin('list-shards', '--json'),
    );
    return listed.find(({ name }) => name === shard)?.owner?.name;
  }

  /** As its metrics say. */
  async function hasSecond(server: RunningServer): Promise<string | undefined> {
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    return /^hob_node_has_shard\{shard="second"\} (\d)$/m.exec(metrics)?.[1];
  }

  const writeTo = async (server: RunningServer, name: string): Promise<number> =>
    (await request(server, 'POST', `/repos/root/${name}/git/blobs`, { content: 'x' })).status;

  /** What the far node has in the place of the volume. */
  const inPlaceOfVolume = (): Promise<string[]> =>
    readdir(join('/proc', `${far.pid}`, 'root', volume));

  async function pushThrough(server: RunningServer, name: string, branch: string): Promise<void> {
    const clone = join(folder, `${name}-${branch}`);
    const url = `${server.url.replace('//', `//root:${server.token}@`)}/root/${name}.git`;
    await git(folder, 'clone', '--quiet', url, clone);
    await git(clone, 'switch', '--quiet', '-c', branch);
    await git(clone, 'commit', '--quiet', '--allow-empty', '-m', branch);
    await git(clone, 'push', '--quiet', url, branch);
  }

  it('serves all repositories at each node, through the one that reaches them', async () => {
    for (const name of ['one', 'two', 'three', 'four']) {
      const created = await request(far, 'POST', '/user/repos', { name, auto_init: true });
      assert.equal(created.status, 201, created.body);
    }
    const { length: counted } = await readdir(join(volume, 'repositories'));
    assert.ok(counted > 0, 'new repositories are created in both shards');
    for (const name of ['one', 'two', 'three', 'four']) {
      await pushThrough(far, name, 'by-far');
      await pushThrough(near, name, 'by-near');
      const forked = await request(far, 'GET', `/repos/root/${name}/branches`);
      assert.match(forked.body, /by-far.*by-near/s);
      const id: number = JSON.parse((await request(far, 'GET', `/repos/root/${name}`)).body).id;
      const path = join(volume, 'repositories', id.toString(16).padStart(2, '0'), `${id}.git`);
      inShard[name] = (await readdir(path).catch(() => [])).length > 0 ? 'second' : 'default';
    }
    assert.deepEqual(new Set(Object.values(inShard)), new Set(['default', 'second']));
    assert.deepEqual(await inPlaceOfVolume(), []);
    assert.deepEqual(await shardsOf(far), { default: 'available', second: 'available' });
    assert.deepEqual([await hasSecond(near), await hasSecond(far)], ['1', '0']);
  });

  it('answers 503 for what is on a volume that is not mounted any more, creates nothing in its place, and goes on when it is back', async () => {
    const lost = Object.keys(inShard).find((name) => inShard[name] === 'second') ?? assert.fail();
    const other = Object.keys(inShard).find((name) => inShard[name] === 'default') ?? assert.fail();
    await rename(volume, `${volume}-away`);
    await mkdir(volume);
    for (const server of [near, far]) {
      assert.equal(await writeTo(server, lost), 503);
      assert.equal((await request(server, 'GET', `/repos/root/${lost}/commits`)).status, 503);
    }
    const unreached = near.output();
    assert.match(unreached, /of this shard is gone/);
    await until(async () => ((await ownerOf('second')) === undefined ? true : undefined));
    assert.deepEqual([await hasSecond(near), await hasSecond(far)], ['0', '0']);
    for (const server of [near, far]) {
      assert.deepEqual(await shardsOf(server), { default: 'available', second: 'unavailable' });
      assert.equal(await writeTo(server, other), 201);
    }
    for (const [at, server] of [near, far, near, far].entries()) {
      const created = await request(server, 'POST', '/user/repos', { name: `while-lost-${at}` });
      assert.equal(created.status, 201, created.body);
    }
    assert.deepEqual(await readdir(volume), []);
    assert.deepEqual(await inPlaceOfVolume(), []);
    await rmdir(volume);
    await rename(`${volume}-away`, volume);
    await until(async () => ((await writeTo(far, lost)) === 201 ? true : undefined), {
      seconds: 60,
    });
    await pushThrough(far, lost, 'again');
    await pushThrough(near, lost, 'again-by-near');
  });
});
