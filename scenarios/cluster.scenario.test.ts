import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { git } from './git-client.ts';
import { until } from './patience.ts';
import { freePort } from '../faults/server-under-test.ts';
import { databaseOf, removeFolder, type RunningServer, startServer } from './running-server.ts';

const skip = testPostgresUrl === undefined ? 'is of PostgreSQL' : false;

describe('a cluster', { skip, timeout: 240_000 }, () => {
  let folder: string;
  let environment: Record<string, string>;
  const servers: RunningServer[] = [];
  const ports: Record<string, number> = {};
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-cluster-'));
    environment = {
      ...(await databaseOf(folder)),
      HOB_NODE_ADDRESS: '127.0.0.1:0',
      HOB_CLUSTER_DATA: join(folder, 'shared'),
      HOB_BASE_URL: 'http://code.test',
    };
  });
  after(async () => {
    for (const server of servers) await server.kill();
    await removeFolder(folder);
  });

  async function start(name: string): Promise<RunningServer> {
    const port = ports[name] ?? (await freePort());
    ports[name] = port;
    const started = await startServer(join(folder, name), { environment, port });
    const server = { ...started, url: `http://127.0.0.1:${port}` };
    servers.push(server);
    return server;
  }

  async function request(
    server: RunningServer,
    method: string,
    path: string,
    body?: object,
  ): Promise<unknown> {
    const response = await fetch(`${server.url}/api/v3${path}`, {
      method,
      headers: { authorization: `token ${server.token}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  const branchesOf = async (server: RunningServer, name: string): Promise<unknown> =>
    request(server, 'GET', `/repos/root/${name}/branches`);

  /** Until the server answers, however long others take to hand over to it. */
  async function secondsUntilServed(server: RunningServer, name: string): Promise<number> {
    const from = performance.now();
    // A write: reads may be answered by the cache.
    const blob = { content: 'x' };
    const path = `/repos/root/${name}/git/blobs`;
    await until(() => request(server, 'POST', path, blob).catch(() => undefined));
    return (performance.now() - from) / 1000;
  }

  it('is one installation at each node', async () => {
    const one = await start('one');
    const two = await start('two');
    await request(two, 'POST', '/user/repos', { name: 'code', auto_init: true });
    for (const [server, other, branch] of [
      [one, two, 'by-one'],
      [two, one, 'by-two'],
    ] as const) {
      const clone = join(folder, branch);
      const url = `${server.url.replace('//', `//root:${server.token}@`)}/root/code.git`;
      await git(folder, 'clone', '--quiet', url, clone);
      await git(clone, 'switch', '--quiet', '-c', branch);
      await git(clone, 'commit', '--quiet', '--allow-empty', '-m', branch);
      await git(clone, 'push', '--quiet', url, branch);
      const path = '/repos/root/code/pulls';
      const pull = { title: branch, head: branch, base: 'main' };
      const created = await request(other, 'POST', path, pull);
      assert.ok(created instanceof Object && 'number' in created);
      const pullPath = `${path}/${String(created.number)}`;
      // Whether it merges is computed in the background: the lists are alike once it is known.
      await until(async () => {
        const asked = await request(server, 'GET', pullPath);
        const isKnown = asked instanceof Object && 'mergeable' in asked && asked.mergeable !== null;
        return isKnown || undefined;
      });
      assert.deepEqual(await request(server, 'GET', path), await request(other, 'GET', path));
      await request(server, 'PUT', `${pullPath}/merge`);
      const merged = await request(other, 'GET', pullPath);
      assert.ok(merged instanceof Object && 'merged' in merged && merged.merged === true);
    }
    assert.deepEqual(await branchesOf(one, 'code'), await branchesOf(two, 'code'));
    const listed = await two.admin('nodes');
    assert.equal(listed.match(/ serving/g)?.length, 2, listed);
    assert.equal(listed.match(/has the repositories/g)?.length, 1, listed);
  });

  it('names the node that has a repository where git asks another one', async () => {
    const [one, two] = servers;
    assert.ok(one && two);
    const named = async ({ url, token }: RunningServer): Promise<string | null> => {
      const response = await fetch(`${url}/root/code.git/info/refs?service=git-upload-pack`, {
        headers: { authorization: `Basic ${btoa(`root:${token}`)}` },
      });
      assert.equal(response.status, 200);
      assert.match(await response.text(), /refs/);
      return response.headers.get('hob-node');
    };
    const names = await Promise.all([named(one), named(two)]);
    assert.equal(names.filter((name) => name === null).length, 1, String(names));
    assert.match(String(names.find((name) => name !== null)), /^\d+$/);
  });

  it('goes on while the service key is replaced, with nodes that start before and after', async () => {
    const [one, two] = servers;
    assert.ok(one && two);
    const secret = { url: 'https://hooks.test/', secret: 'sealed' };
    await request(one, 'POST', '/repos/root/code/hooks', { config: secret });
    const shared = join(folder, 'shared');
    const rotation = one.start('admin', 'rotate-service-key', '--data', shared);
    assert.deepEqual(await once(rotation, 'exit'), [0, null]);
    const blob = { content: 'x' };
    // One of them has the repositories, so the other needs its connection with the new key.
    for (const server of [one, two])
      await request(server, 'POST', '/repos/root/code/git/blobs', blob);
    const three = await start('three');
    await request(three, 'POST', '/repos/root/code/git/blobs', blob);
    await request(three, 'POST', '/repos/root/code/hooks', {
      config: { ...secret, url: 'https://other.test/' },
    });
    for (const server of [one, two, three]) {
      const hooks = await request(server, 'GET', '/repos/root/code/hooks');
      assert.equal(Array.isArray(hooks) && hooks.length, 2);
    }
    assert.equal(await three.stop(), 0);
    servers.splice(servers.indexOf(three), 1);
  });

  it('hands the repositories over when their node stops, and when it dies', async (test) => {
    const [one, two] = servers;
    assert.ok(one && two);
    // A node that stops hands over before it ends.
    assert.equal(await one.stop(), 0);
    const stopped = await secondsUntilServed(two, 'code');
    const again = await start('one');
    await branchesOf(again, 'code');
    await two.kill();
    const killed = await secondsUntilServed(again, 'code');
    test.diagnostic(`after a stop ${stopped.toFixed(2)} s, after a kill ${killed.toFixed(2)} s`);
    // Half a second, and at most one (`npm run cluster -- rolling`), where no other tests run on the same processors.
    assert.ok(stopped < 2, `${stopped} s after a stop`);
    // The lease of 10 seconds, and what the start of the git process takes on a busy machine.
    assert.ok(killed < 15, `${killed} s after a kill`);
  });
});
