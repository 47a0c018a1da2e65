import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';

import type { FastifyInstance } from 'fastify';

import { createForgeServer } from '../forge.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

const mediaType = 'application/vnd.git-lfs+json';

describe('Git LFS in a fork that is open to maintainers', () => {
  let forge: TestForge;
  let owner: TestUser;
  let author: TestUser;
  let server: FastifyInstance;
  let base: string;
  let fork: string;
  let pull: number;
  /** Runs after an object has arrived, before it is recorded. */
  let arrived: () => Promise<unknown>;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('maintainer');
    author = await forge.user('author');
    const { assetFiles } = forge.ports;
    server = await createForgeServer({
      ...forge.ports,
      assetFiles: {
        ...assetFiles,
        async write(...parameters) {
          const written = await assetFiles.write(...parameters);
          await arrived();
          return written;
        },
      },
    });
  });
  after(async () => {
    await server.close();
    await forge.close();
  });
  beforeEach(async () => {
    arrived = async () => {};
    base = await forge.repository(owner, { init: true });
    fork = (await author.post(`/repos/${base}/forks`)).body.full_name;
    const { sha } = (await owner.get(`/repos/${base}/commits/main`)).body;
    await author.post(`/repos/${fork}/git/refs`, { ref: 'refs/heads/work', sha });
    const change = { message: 'Work', content: 'YQ==', branch: 'work' };
    const changed = await author.put(`/repos/${fork}/contents/a`, change);
    assert.equal(changed.status, 201, changed.text);
    const opened = await author.post(`/repos/${base}/pulls`, {
      title: 'Work',
      head: `${author.login}:work`,
      base: 'main',
      maintainer_can_modify: true,
    });
    assert.equal(opened.status, 201, opened.text);
    pull = opened.body.number;
  });

  async function ask(who: TestUser, tail: string, body: object): Promise<number> {
    const { status } = await who.send('POST', `/${fork}.git/info/lfs/${tail}`, {
      headers: { accept: mediaType, 'content-type': mediaType },
      body: JSON.stringify(body),
    });
    return status;
  }

  async function put(who: TestUser, bytes: Buffer): Promise<number> {
    const oid = createHash('sha256').update(bytes).digest('hex');
    const { statusCode } = await server.inject({
      method: 'PUT',
      url: `/${fork}.git/info/lfs/objects/${oid}`,
      headers: {
        authorization: `Basic ${Buffer.from(`x:${who.token}`).toString('base64')}`,
        'content-type': 'application/octet-stream',
      },
      payload: bytes,
    });
    return statusCode;
  }

  test('takes their objects, and no locks', async () => {
    assert.equal(await ask(author, 'locks', { path: 'plan.psd' }), 201);
    assert.equal(await ask(owner, 'locks/verify', {}), 200);
    assert.equal(await ask(owner, 'locks', { path: 'other' }), 403);
    assert.equal(await ask(owner, 'locks/1/unlock', { force: true }), 403);
    assert.equal(await put(owner, Buffer.from('of a maintainer')), 200);
  });

  test('refuses an object whose last byte comes after the pull was closed', async () => {
    arrived = () => author.patch(`/repos/${base}/pulls/${pull}`, { state: 'closed' });
    assert.equal(await put(owner, Buffer.from('too late')), 404);
    assert.equal(await put(author, Buffer.from('of the author')), 200);
  });
});
