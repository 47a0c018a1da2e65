/** The controls of a server for tests of clients (docs/testing-with-hob.md): who may use them. */
import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { type ControlledServer, startControlledServer } from './controlled-server.ts';
import { removeFolder, type RunningServer, startServer } from './running-server.ts';

describe('without --test-controls', { timeout: 120_000 }, () => {
  let folder: string;
  let server: RunningServer;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-controls-'));
    server = await startServer(folder);
  });
  after(async () => {
    await server.stop();
    await removeFolder(folder);
  });

  it('there are no controls, and GET /meta names none', async () => {
    const headers = { authorization: `token ${server.token}`, 'user-agent': 'hob-test' };
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/reset'],
      ['PUT', '/clock'],
    ] as const) {
      const response = await fetch(`${server.url}/-/test${path}`, { method, headers });
      assert.equal(response.status, 404, path);
    }
    const meta = await (await fetch(`${server.url}/api/v3/meta`, { headers })).text();
    assert.doesNotMatch(meta, /test_controls/);
  });
});

describe('with --test-controls', { timeout: 120_000 }, () => {
  let server: ControlledServer;
  before(async () => {
    server = await startControlledServer();
  });
  after(() => server.close());

  it('says so in GET /meta', async () => {
    assert.equal((await server.api('GET', '/meta')).body.test_controls, true);
  });

  it('refuses everybody but site administrators with a token', async () => {
    assert.equal((await server.api('POST', '/admin/users', { login: 'ada' })).status, 201);
    const path = '/admin/users/ada/authorizations';
    const { token } = (await server.api('POST', path, { scopes: ['repo', 'site_admin'] })).body;
    const basic = Buffer.from(`${server.login}:${server.password}`).toString('base64');
    for (const wrong of ['', 'token wrong', `token ${token}`, `Basic ${basic}`]) {
      const headers: Record<string, string> = wrong === '' ? {} : { authorization: wrong };
      const response = await fetch(`${server.url}/-/test`, { headers });
      assert.equal(response.status, 403, wrong);
      await response.text();
    }
    const headers = { authorization: `Bearer ${server.token}` };
    const allowed = await fetch(`${server.url}/-/test`, { headers });
    assert.equal(allowed.status, 200);
  });

  it('refuses what it does not have, and input that it does not understand', async () => {
    const unknown = await server.control('POST', '/nothing');
    assert.equal(unknown.status, 404);
    assert.match(unknown.body.message, /no test control \/-\/test\/nothing/);
    const method = await server.control('DELETE', '/reset');
    assert.equal(method.status, 404);
    assert.match(method.body.message, /has the method POST/);
    assert.equal((await server.control('PUT', '/clock', '{')).status, 400);
    assert.equal((await server.control('PUT', '/clock', [])).status, 422);
    const unknownMember = await server.control('PUT', '/clock', { now: 0, later: 1 });
    assert.equal(unknownMember.status, 422);
  });
});
