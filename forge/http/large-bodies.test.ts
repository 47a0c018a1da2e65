import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('a request whose body may be large', () => {
  let forge: TestForge;
  let owner: TestUser;
  let stranger: TestUser;
  let address: string;
  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    stranger = await forge.user('stranger');
    address = await forge.listen();
  });
  after(() => forge.close());

  /** The status of the answer to a request of which nothing but the head is ever sent. */
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
    ] as const) {
      const to = (name: string) => [method, `/repos/${name}/${tail}`] as const;
      assert.equal(await statusBeforeBody(to(open), undefined), 404, `${tail}, anonymous`);
      assert.equal(await statusBeforeBody(to(hidden), undefined), 404);
      assert.equal(await statusBeforeBody(to(open), stranger), 404);
      assert.equal(await statusBeforeBody(to(hidden), stranger), 404);
      assert.equal(await statusBeforeBody(to('nobody/nothing'), owner), 404);
    }
  });

  test('is decided about once more when all of it is there', { timeout: 60_000 }, async () => {
    const name = await forge.repository(owner, { init: true });
    const [host, port] = address.split(':');
    const socket = connect(Number(port), host);
    const body = JSON.stringify({ content: 'x' });
    const head = [
      `POST /api/v3/repos/${name}/git/blobs HTTP/1.1`,
      'Host: hob',
      'User-Agent: test',
      `Authorization: token ${owner.token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
      '\r\n',
    ].join('\r\n');
    socket.write(head);
    const [go] = await once(socket, 'data');
    assert.match(String(go), /^HTTP\/1\.1 100 /);
    assert.equal((await owner.delete(`/repos/${name}`)).status, 204);
    socket.write(body);
    const [data] = await once(socket, 'data');
    socket.destroy();
    assert.match(String(data), /^HTTP\/1\.1 404 /);
  });
});
