import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

/** What the headers of a response let others do with it. */
describe('the headers of a response', () => {
  let forge: TestForge;
  let owner: TestUser;
  let name: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    name = await forge.repository(owner, { init: true });
  });
  after(() => forge.close());

  test('name and date what was made, and nothing that is gone or under way', async () => {
    const created = await owner.post(`/repos/${name}/labels`, { name: 'bug' });
    assert.equal(created.status, 201);
    assert.match(created.headers['etag'] ?? '', /^"[0-9a-f]+"$/);
    assert.equal(created.headers['cache-control'], 'private, max-age=60, s-maxage=60');
    const forker = await forge.user();
    for (const [status, response] of [
      [204, await owner.delete(`/repos/${name}/labels/bug`)],
      [202, await forker.post(`/repos/${name}/forks`)],
      [404, await owner.delete(`/repos/${name}/labels/bug`)],
      [422, await owner.post(`/repos/${name}/labels`, {})],
    ] as const) {
      assert.equal(response.status, status, response.text);
      for (const header of ['etag', 'cache-control', 'last-modified']) {
        assert.equal(response.headers[header], undefined, `${status} ${header}`);
      }
    }
  });

  test('are spelled as they are documented', async () => {
    const { port, hostname } = new URL(`http://${await forge.listen()}`);
    const socket = connect(Number(port), hostname);
    socket.end('GET / HTTP/1.1\r\nHost: forge.test\r\nUser-Agent: t\r\nConnection: close\r\n\r\n');
    const head = await text(socket);
    for (const header of ['X-GitHub-Request-Id', 'X-RateLimit-Limit', 'Content-Type']) {
      assert.match(head, new RegExp(`^${header}: `, 'm'));
    }
  });

  test('let a client ask whether a repository has changed since', async () => {
    const path = `/repos/${name}`;
    const { headers, body } = await owner.get(path);
    const since = headers['last-modified'] ?? '';
    assert.equal(Date.parse(since), Date.parse(body.updated_at));
    assert.equal((await owner.get(path, { 'if-modified-since': since })).status, 304);
    const older = new Date(Date.parse(since) - 1000).toUTCString();
    assert.equal((await owner.get(path, { 'if-modified-since': older })).status, 200);
    forge.clock.advance(60_000);
    await owner.patch(path, { description: 'changed' });
    assert.equal((await owner.get(path, { 'if-modified-since': since })).status, 200);
  });
});
