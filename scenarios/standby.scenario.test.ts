/** `hob serve --standby`: a second server on the same data directory, which takes over from the first. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { until } from './patience.ts';
import { removeFolder, type RunningServer, startServer } from './running-server.ts';

const git = promisify(execFile);

describe('a server that stands by', { timeout: 240_000 }, () => {
  let folder: string;
  let serving: RunningServer;
  let next: RunningServer;
  const servers: RunningServer[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-standby-'));
    serving = await start();
    next = await start('--standby');
  });
  after(async () => {
    for (const server of servers) await server.kill();
    await removeFolder(folder);
  });

  async function start(...flags: readonly string[]): Promise<RunningServer> {
    const server = await startServer(join(folder, 'data'), { flags });
    servers.push(server);
    return server;
  }

  const request = (
    server: RunningServer,
    path: string,
    { method = 'GET', body }: { method?: string; body?: unknown } = {},
  ): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `token ${server.token}`, 'user-agent': 't' },
      body: body === undefined ? null : JSON.stringify(body),
    });

  // oxlint-disable-next-line typescript/no-explicit-any -- the tests say what is in it
  const bodyOf = async (response: Response): Promise<any> => response.json();

  const ready = (server: RunningServer): Promise<true> =>
    until(async () => ((await request(server, '/readyz')).ok ? true : undefined), {
      seconds: 60,
      missing: `the turn of ${server.url}`,
    });

  it('says so, and refuses all but the question whether it lives', async () => {
    assert.match(next.output(), new RegExp(`until process ${serving.pid}, which uses`));
    const lives = await request(next, '/healthz');
    assert.deepEqual([lives.status, await lives.json()], [200, { status: 'up' }]);
    for (const [path, method] of [
      ['/readyz', 'GET'],
      ['/api/v3/user', 'GET'],
      ['/api/v3/user/repos', 'POST'],
      ['/root/none.git/info/refs?service=git-upload-pack', 'GET'],
      ['/2015-03-31/functions', 'GET'],
      ['/', 'GET'],
    ] as const) {
      const refused = await request(next, path, { method, ...(method === 'POST' && { body: {} }) });
      assert.equal(refused.status, 503, path);
      assert.equal(refused.headers.get('retry-after'), '1', path);
      assert.match((await bodyOf(refused)).message, /stands by/);
    }
  });

  it('takes over when the other is killed, with everything that was acknowledged', async () => {
    await request(serving, '/api/v3/user/repos', {
      method: 'POST',
      body: { name: 'shared', auto_init: true },
    });
    const acknowledged: string[] = [];
    const stop = new AbortController();
    const write = async (): Promise<void> => {
      for (let count = 0; !stop.signal.aborted; count += 1) {
        const name = `issue ${count}`;
        const path = `/api/v3/repos/${serving.login}/shared/issues`;
        const response = await request(serving, path, {
          method: 'POST',
          body: { title: name },
        }).catch(() => undefined);
        if (response?.status === 201) acknowledged.push(name);
      }
    };
    const writing = write();
    await until(() => (acknowledged.length >= 20 ? true : undefined));
    await serving.kill();
    stop.abort();
    await writing;
    await ready(next);
    // It answers before it says so.
    await until(() => (/Hob is ready at/.test(next.output()) ? true : undefined));
    const path = `/api/v3/repos/${next.login}/shared`;
    const titles = new Set<string>();
    for (let page = 1; titles.size < acknowledged.length; page += 1) {
      const listed = await request(next, `${path}/issues?per_page=100&page=${page}`);
      const issues = await bodyOf(listed);
      assert.ok(issues.length > 0, 'an acknowledged issue is missing');
      for (const { title } of issues) titles.add(title);
    }
    assert.deepEqual(
      acknowledged.filter((title) => !titles.has(title)),
      [],
    );
    const clone = `${next.url.replace('://', `://${next.login}:${next.token}@`)}/${next.login}/shared.git`;
    await git('git', ['clone', '--quiet', clone, join(folder, 'clone')]);
  });

  it('takes over when the other is stopped, which finishes its requests first', async () => {
    serving = next;
    next = await start('--standby');
    assert.equal(await serving.stop(), 0, serving.output());
    await ready(next);
    const user = await bodyOf(await request(next, '/api/v3/user'));
    assert.equal(user.login, next.login);
  });

  it('leaves the directory alone when it ends before', async () => {
    const waiting = await start('--standby');
    await waiting.stop();
    assert.equal((await request(next, '/readyz')).status, 200);
    await assert.rejects(start(), /have this server wait for it with --standby/);
  });

  it('starts at once where no other server is', async () => {
    await next.stop();
    const alone = await start('--standby');
    assert.equal((await request(alone, '/readyz')).status, 200);
    assert.ok(!alone.output().includes('Standing by'));
  });
});
