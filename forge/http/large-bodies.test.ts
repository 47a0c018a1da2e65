import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';

import { largeBodyLimits } from './transfer-limiter.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('a request whose body is still to come', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;
  let admin: TestUser;
  let address: string;
  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
    admin = await forge.user('adm', { siteAdmin: true });
    address = await forge.listen();
  });
  after(() => forge.close());

  /** A request whose head was sent, once the server has asked for its body. */
  async function beforeBody(
    [method, path]: readonly [string, string],
    authorization: string,
    length: number,
  ): Promise<Socket> {
    const [host, port] = address.split(':');
    const socket = connect(Number(port), host);
    const head = [
      `${method} /api/v3${path} HTTP/1.1`,
      'Host: hob',
      'User-Agent: test',
      `Authorization: ${authorization}`,
      'Content-Type: application/json',
      `Content-Length: ${length}`,
      'Expect: 100-continue',
      '\r\n',
    ].join('\r\n');
    socket.write(head);
    const [go] = await once(socket, 'data');
    assert.match(String(go), /^HTTP\/1\.1 100 /);
    return socket;
  }

  /** The status of the response to a request of which nothing but the head is ever sent. */
  async function statusBeforeBody(
    [method, path]: readonly [string, string],
    user: TestUser | undefined,
  ): Promise<number> {
    const [host, port] = address.split(':');
    const socket = connect(Number(port), host);
    const head = [
      `${method} /api/v3${path} HTTP/1.1`,
      'Host: hob',
      'User-Agent: test',
      ...(user ? [`Authorization: token ${user.token}`] : []),
      'Content-Type: application/json',
      `Content-Length: ${30 * 1024 * 1024}`,
      '\r\n',
    ].join('\r\n');
    socket.write(head);
    const [data] = await once(socket, 'data');
    socket.destroy();
    return Number(/^HTTP\/1\.1 (\d+) /.exec(String(data))?.[1]);
  }

  test('is refused before any of it is read', { timeout: 60_000 }, async () => {
    const open = await forge.repository(owner, { init: true });
    const hidden = await forge.repository(owner, { init: true, private: true });
    for (const [method, tail] of [
      ['PUT', 'contents/file'],
      ['POST', 'git/blobs'],
      ['POST', 'git/trees'],
      ['POST', 'labels'],
    ] as const) {
      const to = (name: string) => [method, `/repos/${name}/${tail}`] as const;
      assert.equal(await statusBeforeBody(to(open), undefined), 404, `${tail}, anonymous`);
      assert.equal(await statusBeforeBody(to(hidden), undefined), 404);
      assert.equal(await statusBeforeBody(to(open), outsider), 404);
      assert.equal(await statusBeforeBody(to(hidden), outsider), 404);
      assert.equal(await statusBeforeBody(to('nobody/nothing'), owner), 404);
    }
  });

  test('is decided about once more when all of it is there', { timeout: 60_000 }, async () => {
    const name = await forge.repository(owner, { init: true });
    const body = JSON.stringify({ content: 'x' });
    const to = ['POST', `/repos/${name}/git/blobs`] as const;
    const socket = await beforeBody(to, `token ${owner.token}`, body.length);
    assert.equal((await owner.delete(`/repos/${name}`)).status, 204);
    socket.write(body);
    const [data] = await once(socket, 'data');
    socket.destroy();
    assert.match(String(data), /^HTTP\/1\.1 404 /);
  });

  for (const [tail, body] of [
    ['git/blobs', { content: 'x' }],
    ['labels', { name: 'x', color: 'ffffff' }],
  ] as const) {
    test(`to ${tail} is refused where its token is revoked before it has come`, async () => {
      const name = await forge.repository(owner, { init: true });
      const text = JSON.stringify(body);
      const path = `/admin/users/${owner.login}/authorizations`;
      const issued = await admin.post(path, { scopes: ['repo'] });
      const to = ['POST', `/repos/${name}/${tail}`] as const;
      const socket = await beforeBody(to, `token ${issued.body.token}`, text.length);
      assert.equal((await admin.delete(path)).status, 204);
      socket.write(text);
      const [data] = await once(socket, 'data');
      socket.destroy();
      assert.match(String(data), /^HTTP\/1\.1 401 /);
      assert.match(String(data), /"message":"Bad credentials"/);
    });
  }

  test('is refused where its password is changed before it has come', async () => {
    const name = await forge.repository(owner, { init: true });
    const set = (hash: string): Promise<unknown> =>
      forge.database.write((sql) =>
        sql.run(`update accounts set password_hash = $1 where id = $2`, hash, owner.account.id),
      );
    await set('plain:first');
    const basic = `Basic ${Buffer.from(`${owner.login}:first`).toString('base64')}`;
    const body = JSON.stringify({ content: 'x' });
    const to = ['POST', `/repos/${name}/git/blobs`] as const;
    const socket = await beforeBody(to, basic, body.length);
    await set('plain:second');
    socket.write(body);
    const [data] = await once(socket, 'data');
    socket.destroy();
    assert.match(String(data), /^HTTP\/1\.1 401 /);
  });

  test("and is large counts against the caller's limit, and others are refused with a time to retry", async () => {
    const name = await forge.repository(owner, { init: true });
    const { runningOfOneMax, waitingOfOneMax } = largeBodyLimits;
    const [host, port] = address.split(':');
    const head = (token: string): string =>
      [
        `POST /api/v3/repos/${name}/git/blobs HTTP/1.1`,
        'Host: hob',
        'User-Agent: test',
        `Authorization: token ${token}`,
        `Content-Length: ${30 * 1024 * 1024}`,
        '\r\n',
      ].join('\r\n');
    const answered = Promise.withResolvers<string>();
    // None of them sends its body: those with a slot hold it, those that wait go on waiting.
    const sockets = Array.from({ length: runningOfOneMax + waitingOfOneMax + 1 }, () => {
      const socket = connect(Number(port), host, () => socket.write(head(owner.token)));
      socket.on('error', () => {});
      socket.once('data', (data) => answered.resolve(String(data)));
      return socket;
    });
    const response = await answered.promise;
    assert.match(response, /^HTTP\/1\.1 403 /);
    assert.match(response, /\r\nretry-after: 10\r\n/i);
    assert.match(response, /secondary rate limit/);
    // Others, and small bodies, have slots of their own.
    assert.equal((await owner.post(`/repos/${name}/git/blobs`, { content: 'x' })).status, 201);
    const mine = await forge.repository(outsider, { init: true });
    const large = JSON.stringify({ content: 'x'.repeat(2 * 1024 * 1024) });
    const sent = await fetch(`http://${address}/api/v3/repos/${mine}/git/blobs`, {
      method: 'POST',
      headers: { authorization: `token ${outsider.token}`, 'user-agent': 'test' },
      body: large,
    });
    assert.equal(sent.status, 201);
    const gone = sockets.map((socket) => once(socket, 'close'));
    for (const socket of sockets) socket.destroy();
    await Promise.all(gone);
  });
});
