import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';

import { type KeyFile, type SshForge, startSshForge, withoutOpenSsh } from '../testing/test-ssh.ts';
import type { TestResponse, TestUser } from '../testing/test-forge.ts';

const host = 'git@127.0.0.1';
const bytes = Buffer.from('a large file');
const oid = createHash('sha256').update(bytes).digest('hex');

describe('large files over SSH', { skip: withoutOpenSsh }, () => {
  let site: SshForge;
  let owner: TestUser;
  let key: KeyFile;
  let name: string;

  before(async () => {
    site = await startSshForge();
    owner = await site.forge.user('own');
    key = await site.keyOf(owner);
    name = await site.forge.repository(owner, { private: true, init: true });
  });
  after(() => site.close());

  /** The header that a client gets. */
  async function granted(operation: string, as = key, repository = name): Promise<string> {
    const command = `git-lfs-authenticate '${repository}.git' ${operation}`;
    const { code, stdout, stderr } = await site.ssh(as, host, command);
    assert.equal(code, 0, stderr);
    const answer = JSON.parse(stdout);
    assert.equal(new URL(answer.href).pathname, `/${repository}.git/info/lfs`);
    assert.equal(answer.expires_in, 600);
    assert.equal(Date.parse(answer.expires_at), site.forge.clock.now() + 600_000);
    return answer.header.Authorization;
  }

  const send = (
    method: string,
    tail: string,
    authorization: string,
    body?: Buffer,
    repository = name,
  ): Promise<TestResponse> =>
    site.forge.anonymous.send(method, `/${repository}.git/info/lfs/${tail}`, {
      headers: { authorization, 'content-type': 'application/octet-stream' },
      ...(body ? { body } : {}),
    });

  test('are sent and fetched with a header that a key gets', async () => {
    const upload = await granted('upload');
    assert.equal((await send('PUT', `objects/${oid}`, upload, bytes)).status, 200);
    const download = await granted('download');
    const got = await send('GET', `objects/${oid}`, download);
    assert.deepEqual([got.status, got.text], [200, bytes.toString()]);
    assert.equal((await send('GET', 'locks', download)).status, 200);
    const record = site.nextCommand(name);
    await granted('download');
    assert.equal((await record).command, 'git-lfs-authenticate');
  });

  test('come with the header in each action of a batch, which clients would else ask a password for', async () => {
    const upload = await granted('upload');
    const batch = async (authorization: string): Promise<unknown> => {
      const objects = [{ oid: '0'.repeat(64), size: 1 }];
      const { status, text } = await site.forge.anonymous.send(
        'POST',
        `/${name}.git/info/lfs/objects/batch`,
        {
          headers: { authorization, 'content-type': 'application/vnd.git-lfs+json' },
          body: Buffer.from(JSON.stringify({ operation: 'upload', objects })),
        },
      );
      assert.equal(status, 200, text);
      return JSON.parse(text).objects[0].actions.upload.header;
    };
    assert.deepEqual(await batch(upload), { Authorization: upload });
    // Others have their credentials anyway, and need not find them in an answer.
    assert.equal(await batch(`token ${owner.token}`), undefined);
  });

  test('are closed to a header for something else', async () => {
    const download = await granted('download');
    assert.equal((await send('PUT', `objects/${oid}`, download, bytes)).status, 403);
    const other = await site.forge.repository(owner, { private: true, init: true });
    const elsewhere = await send('GET', `objects/${oid}`, download, undefined, other);
    assert.equal(elsewhere.status, 404);
    assert.equal((await send('GET', `objects/${oid}`, 'RemoteAuth hob_no')).status, 401);
    // It opens nothing but large files.
    const headers = { authorization: download };
    const { forge } = site;
    const path = `/${name}.git/info/refs?service=git-upload-pack`;
    assert.equal((await forge.anonymous.send('GET', path, { headers })).status, 401);
    assert.notEqual((await forge.anonymous.send('GET', '/user', { headers })).status, 200);
  });

  test('are closed when the time of the header is up, or its key is deleted', async () => {
    const early = await granted('download');
    site.forge.clock.advance(600_000);
    assert.equal((await send('GET', `objects/${oid}`, early)).status, 401);
    const second = await site.keyOf(owner);
    const late = await granted('download', second);
    assert.equal((await send('GET', `objects/${oid}`, late)).status, 200);
    const keys = (await owner.get('/user/keys')).body;
    await owner.delete(`/user/keys/${keys.at(-1).id}`);
    assert.equal((await send('GET', `objects/${oid}`, late)).status, 401);
  });

  test('are not opened to those who may not fetch or push', async () => {
    const stranger = await site.forge.user('stranger');
    const strangersKey = await site.keyOf(stranger);
    const refused = async (as: KeyFile, operation: string): Promise<string> => {
      const command = `git-lfs-authenticate '${name}.git' ${operation}`;
      const { code, stdout, stderr } = await site.ssh(as, host, command);
      assert.deepEqual([code, stdout], [1, '']);
      return stderr;
    };
    assert.match(await refused(strangersKey, 'download'), /Repository not found/);
    const reader = await site.keyFile();
    await owner.post(`/repos/${name}/keys`, { key: reader.publicKey, read_only: true });
    const header = await granted('download', reader);
    assert.equal((await send('GET', `objects/${oid}`, header)).status, 200);
    assert.match(await refused(reader, 'upload'), /ERROR/);
    // What the key loses, the header loses.
    const { body } = await owner.put(`/repos/${name}/collaborators/stranger`, {});
    await stranger.patch(`/user/repository_invitations/${body.id}`);
    const collaborators = await granted('upload', strangersKey);
    await owner.delete(`/repos/${name}/collaborators/stranger`);
    assert.equal((await send('GET', `objects/${oid}`, collaborators)).status, 404);
    assert.equal((await send('PUT', `objects/${oid}`, collaborators, bytes)).status, 404);
  });
});
