// Runs on SQLite alone: it shows the limits of git.
import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { removeFolder, type RunningServer, startServer } from './running-server.ts';

/** A tree of eleven objects that stands for ten thousand million files, on real git with its real limits. */
describe('a pull that adds a tree bomb', () => {
  let folder: string;
  let server: RunningServer;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-tree-bomb-'));
    server = await startServer(join(folder, 'data'));
  });
  after(async () => {
    await server.stop();
    await removeFolder(folder);
  });

  async function send(
    method: string,
    path: string,
    body?: object,
    // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  ): Promise<{ status: number; body: any }> {
    const response = await fetch(`${server.url}/api/v3${path}`, {
      method,
      headers: { authorization: `token ${server.token}`, 'user-agent': 'scenario' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  test('is opened, or refused with the reason, and the server goes on', async () => {
    await send('POST', '/user/repos', { name: 'work', auto_init: true });
    const at = `/repos/${server.login}/work`;
    const parent = (await send('GET', `${at}/git/ref/heads/main`)).body.object.sha;
    let { sha } = (await send('POST', `${at}/git/blobs`, { content: 'x' })).body;
    let entry = { mode: '100644', type: 'blob' };
    for (let level = 0; level < 10; level += 1) {
      const tree = Array.from({ length: 10 }, (_, index) => ({ ...entry, path: `d${index}`, sha }));
      ({ sha } = (await send('POST', `${at}/git/trees`, { tree })).body);
      entry = { mode: '040000', type: 'tree' };
    }
    const commit = { message: 'Bomb', tree: sha, parents: [parent] };
    const { body: made } = await send('POST', `${at}/git/commits`, commit);
    const ref = { ref: 'refs/heads/bomb', sha: made.sha };
    assert.equal((await send('POST', `${at}/git/refs`, ref)).status, 201);

    const pull = { title: 'Bomb', head: 'bomb', base: 'main' };
    const opened = await send('POST', `${at}/pulls`, pull);
    if (opened.status === 422) assert.ok(opened.body.errors.length > 0, opened.body.message);
    else assert.deepEqual([opened.status, opened.body.head.sha], [201, made.sha]);
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    assert.ok(!/"level":"(?:error|fatal)"/.test(server.output()), server.output());
  });
});
