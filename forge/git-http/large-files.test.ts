import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';

import { createLog } from '#platform/log.ts';

import { countObjects } from '../large-files/lfs-object-store.ts';
import { createAssetPruner } from '../releases/prune-assets.ts';
import { commitFiles } from '../testing/commits.ts';
import {
  startTestForge,
  type TestClient,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';

const mediaType = 'application/vnd.git-lfs+json';

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- as in test-forge.ts
  readonly body: any;
}

const oidOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('Git LFS', () => {
  let forge: TestForge;
  let owner: TestUser;
  let mate: TestUser;
  let outsider: TestUser;
  let name: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    mate = await forge.user('mate');
    outsider = await forge.user('outsider');
  });
  after(() => forge.close());
  beforeEach(async () => {
    name = await forge.repository(owner, { private: true });
    await commitFiles(forge, name, 'main', { a: 'a' });
    const { body } = await owner.put(`/repos/${name}/collaborators/mate`);
    await mate.patch(`/user/repository_invitations/${body.id}`);
  });

  async function ask(
    who: TestClient,
    method: string,
    tail: string,
    body?: object | string,
    repository = name,
  ): Promise<Answer> {
    const response = await who.send(method, `/${repository}.git/info/lfs/${tail}`, {
      headers: { accept: mediaType, 'content-type': mediaType },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    assert.match(response.headers['content-type'] ?? '', /^application\/vnd\.git-lfs\+json/, tail);
    return { status: response.status, body: JSON.parse(response.text) };
  }

  const batch = (
    who: TestClient,
    operation: string,
    bytes: readonly Buffer[],
    repository = name,
  ): Promise<Answer> => {
    const objects = bytes.map((each) => ({ oid: oidOf(each), size: each.length }));
    return ask(who, 'POST', 'objects/batch', { operation, objects }, repository);
  };

  const send = (
    who: TestClient,
    bytes: Buffer,
    oid = oidOf(bytes),
    repository = name,
  ): Promise<TestResponse> =>
    who.send('PUT', `/${repository}.git/info/lfs/objects/${oid}`, {
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
    });

  const fetch = (
    who: TestClient,
    bytes: Buffer,
    headers: Record<string, string> = {},
    repository = name,
  ): Promise<TestResponse> =>
    who.send('GET', `/${repository}.git/info/lfs/objects/${oidOf(bytes)}`, { headers });

  test('is for those who may fetch and push, like git', async () => {
    const bytes = Buffer.from('secret bytes');
    const anonymous = await batch(forge.anonymous, 'download', [bytes]);
    assert.equal(anonymous.status, 401);
    for (const tail of ['objects/batch', 'locks', 'locks/verify', 'locks/1/unlock']) {
      assert.equal((await ask(outsider, 'POST', tail, {})).status, 404, tail);
    }
    assert.equal((await ask(outsider, 'GET', 'locks')).status, 404);
    assert.equal((await fetch(outsider, bytes)).status, 404);
    assert.equal((await send(outsider, bytes)).status, 404);
    await owner.patch(`/repos/${name}`, { private: false });
    assert.equal((await batch(outsider, 'upload', [bytes])).status, 403);
    assert.equal((await batch(forge.anonymous, 'upload', [bytes])).status, 401);
    assert.equal((await send(outsider, bytes)).status, 403);
    assert.equal((await batch(forge.anonymous, 'download', [bytes])).status, 200);
    assert.equal((await ask(outsider, 'POST', 'locks', { path: 'a' })).status, 403);
    await owner.patch(`/repos/${name}`, { archived: true });
    assert.equal((await send(owner, bytes)).status, 403);
  });

  test('takes an object once, with the right bytes, and gives it back', async () => {
    const bytes = Buffer.from('large file\n'.repeat(1000));
    const oid = oidOf(bytes);
    const wanted = await batch(owner, 'upload', [bytes]);
    const href = `http://forge.test/${name}.git/info/lfs/objects/${oid}`;
    assert.deepEqual(wanted.body, {
      transfer: 'basic',
      hash_algo: 'sha256',
      objects: [{ oid, size: bytes.length, actions: { upload: { href } } }],
    });
    const wrong = await send(owner, Buffer.from('other'), oid);
    assert.equal(wrong.status, 422);
    const absent = await batch(owner, 'download', [bytes]);
    assert.deepEqual(absent.body.objects[0].error.code, 404);
    assert.equal((await send(mate, bytes)).status, 200);
    assert.equal((await send(owner, bytes)).status, 200);
    const again = await batch(owner, 'upload', [bytes]);
    assert.deepEqual(again.body.objects, [{ oid, size: bytes.length }]);
    const found = await batch(owner, 'download', [bytes]);
    assert.deepEqual(found.body.objects[0].actions, { download: { href } });
    const got = await fetch(owner, bytes);
    assert.deepEqual([got.status, got.text], [200, bytes.toString()]);
    assert.match(got.headers['content-disposition'] ?? '', /^attachment/);
    const rest = await fetch(owner, bytes, { range: 'bytes=10990-' });
    assert.deepEqual([rest.status, rest.text], [206, bytes.subarray(10990).toString()]);
    await forge.ports.background.idle();
    const { size } = (await owner.get(`/repos/${name}`)).body;
    assert.ok(size >= 11, `${size}`);
  });

  test('is what the pages of its file show and send, not its pointer', async () => {
    const bytes = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const [oid, size] = [oidOf(bytes), bytes.length];
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
    await commitFiles(forge, name, 'main', { 'pixel.png': pointer });
    // While the object is not there.
    assert.equal((await owner.get(`/${name}/raw/main/pixel.png`)).text, pointer);
    assert.equal((await send(owner, bytes)).status, 200);
    const raw = await owner.get(`/${name}/raw/main/pixel.png`);
    assert.deepEqual([raw.status, raw.headers['content-type']], [200, 'image/png']);
    assert.deepEqual(raw.bytes, bytes);
    assert.equal((await outsider.get(`/${name}/raw/main/pixel.png`)).status, 404);
    const { text } = await owner.get(`/${name}/blob/main/pixel.png`);
    assert.match(
      text,
      /Stored with Git LFS: 16 bytes\.[^]*<img src="[^"]*\/raw\/main\/pixel\.png"/,
    );
    const other = await forge.repository(outsider);
    await commitFiles(forge, other, 'main', { 'pixel.png': pointer });
    assert.equal((await outsider.get(`/${other}/raw/main/pixel.png`)).text, pointer);
  });

  test('refuses batches that are none', async () => {
    for (const body of ['', '{', '[]', 'null', '{}', '{"operation":"upload"}']) {
      const { status } = await ask(owner, 'POST', 'objects/batch', body);
      assert.ok(status === 400 || status === 422, `${body}: ${status}`);
    }
    const objects = [{ oid: '../../etc/passwd', size: 1 }];
    const odd = await ask(owner, 'POST', 'objects/batch', { operation: 'download', objects });
    assert.equal(odd.body.objects[0].error.code, 422);
    const many = Array.from({ length: 1001 }, () => ({ oid: 'a', size: 1 }));
    const cases = [
      [{ operation: 'download', objects: many }, 413],
      [{ operation: 'download', objects: [], hash_algo: 'sha512' }, 409],
      [{ operation: 'download', objects: [], transfers: ['ssh'] }, 422],
      [{ operation: 'remove', objects: [] }, 422],
    ] as const;
    for (const [body, status] of cases) {
      assert.equal((await ask(owner, 'POST', 'objects/batch', body)).status, status);
    }
    const large = { oid: '0'.repeat(64), size: 6 * 1024 ** 3 };
    const tooLarge = { operation: 'upload', objects: [large] };
    const { body } = await ask(owner, 'POST', 'objects/batch', tooLarge);
    assert.equal(body.objects[0].error.code, 422);
    for (const tail of ['objects', 'objects/0123', 'other']) {
      assert.equal((await ask(owner, 'GET', tail)).status, 404, tail);
    }
  });

  test('shares objects in a network, and leaves to others only what they merged or sent', async () => {
    const open = await forge.repository(owner, { init: true });
    const { body: fork } = await outsider.post(`/repos/${open}/forks`);
    const [merged, other, own] = ['merged', 'of the fork only', 'of the source'].map((text) =>
      Buffer.from(text),
    );
    assert.ok(merged && other && own);
    await send(outsider, merged, oidOf(merged), fork.full_name);
    await send(outsider, other, oidOf(other), fork.full_name);
    await send(owner, own, oidOf(own), open);
    assert.equal((await fetch(owner, other, {}, open)).text, other.toString());
    assert.equal((await fetch(outsider, own, {}, fork.full_name)).text, own.toString());
    assert.equal((await fetch(owner, other)).status, 404, 'another network');
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oidOf(merged)}\nsize ${merged.length}\n`;
    const content = Buffer.from(pointer).toString('base64');
    await outsider.put(`/repos/${fork.full_name}/contents/art.psd`, { message: 'Art', content });
    const head = `${outsider.login}:main`;
    const pull = await outsider.post(`/repos/${open}/pulls`, { title: 'Art', head, base: 'main' });
    assert.equal(pull.status, 201, pull.text);
    await outsider.delete(`/repos/${fork.full_name}`);
    await forge.ports.background.idle();
    assert.equal((await fetch(owner, merged, {}, open)).text, merged.toString());
    assert.equal((await fetch(owner, other, {}, open)).status, 404, 'goes with the fork');
    const { body: second } = await mate.post(`/repos/${open}/forks`);
    await owner.patch(`/repos/${open}`, { private: true });
    for (const bytes of [merged, own]) {
      assert.equal((await fetch(owner, bytes, {}, open)).status, 200);
      assert.equal((await fetch(mate, bytes, {}, second.full_name)).status, 200);
    }
  });

  test('brings the objects of an upstream along with its commits', async () => {
    const { body: fork } = await mate.post(`/repos/${name}/forks`);
    const bytes = Buffer.from('of the upstream');
    await send(owner, bytes);
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oidOf(bytes)}\nsize ${bytes.length}\n`;
    const content = Buffer.from(pointer).toString('base64');
    await owner.put(`/repos/${name}/contents/art.psd`, { message: 'Art', content });
    const merge = await mate.post(`/repos/${fork.full_name}/merge-upstream`, { branch: 'main' });
    assert.equal(merge.status, 200, merge.text);
    await owner.delete(`/repos/${name}/collaborators/mate`);
    assert.equal((await fetch(mate, bytes, {}, fork.full_name)).text, bytes.toString());
  });

  test('gives nothing of a private repository to who may read only another one of its network', async () => {
    const { body: fork } = await mate.post(`/repos/${name}/forks`);
    await owner.delete(`/repos/${name}/collaborators/mate`);
    const [ofSource, ofFork] = [Buffer.from('later in the source'), Buffer.from('of the fork')];
    await send(owner, ofSource);
    await send(mate, ofFork, oidOf(ofFork), fork.full_name);
    const cases = [
      { who: mate, bytes: ofSource, repository: fork.full_name },
      { who: owner, bytes: ofFork, repository: name },
    ];
    for (const { who, bytes, repository } of cases) {
      assert.equal((await fetch(who, bytes, {}, repository)).status, 404);
      const wanted = await batch(who, 'download', [bytes], repository);
      assert.equal(wanted.body.objects[0].error.code, 404);
      const sent = await batch(who, 'upload', [bytes], repository);
      assert.ok(sent.body.objects[0].actions.upload, 'as one that does not exist');
    }
    await owner.patch(`/repos/${name}`, { private: false });
    assert.equal((await fetch(forge.anonymous, ofFork)).status, 404);
    assert.equal((await fetch(forge.anonymous, ofSource)).status, 200);
  });

  test('gives a fork what its source had, and what its owner may read there', async () => {
    const [copied, later, linked] = [
      Buffer.from('copied'),
      Buffer.from('later'),
      Buffer.from('linked'),
    ];
    await send(owner, copied);
    const { body: fork } = await mate.post(`/repos/${name}/forks`);
    await send(owner, later);
    await send(owner, linked);
    for (const bytes of [copied, later, linked]) {
      assert.equal((await fetch(mate, bytes, {}, fork.full_name)).text, bytes.toString());
    }
    const { body } = await batch(mate, 'upload', [linked], fork.full_name);
    assert.deepEqual(body.objects, [{ oid: oidOf(linked), size: linked.length }]);
    await owner.delete(`/repos/${name}/collaborators/mate`);
    const status = async (bytes: Buffer): Promise<number> =>
      (await fetch(mate, bytes, {}, fork.full_name)).status;
    assert.deepEqual(
      [await status(copied), await status(later), await status(linked)],
      [200, 404, 200],
    );
    await owner.delete(`/repos/${name}`);
    assert.equal(await status(copied), 200);
  });

  test('removes the files of deleted repositories, and no others', async () => {
    const [gone, stays] = [Buffer.from('goes away'), Buffer.from('stays')];
    const other = await forge.repository(owner);
    await send(owner, gone);
    await send(owner, stays, oidOf(stays), other);
    await owner.delete(`/repos/${name}`);
    await forge.ports.background.idle();
    const prune = createAssetPruner(forge.ports, createLog('silent'));
    const count = async (): Promise<number> => {
      let files = 0;
      for await (const part of forge.ports.assetFiles.list()) files += part.length;
      return files;
    };
    await prune();
    const all = await count();
    forge.clock.advance(25 * 3_600_000);
    await prune();
    assert.ok((await count()) < all);
    assert.equal((await fetch(owner, stays, {}, other)).text, 'stays');
  });

  test('finds no lock by an id or a path that none can have', async () => {
    const { body } = await ask(owner, 'POST', 'locks', { path: 'a.psd' });
    const ids = ['0', '-5', '1.5', '3000000000', '999999999999999', '9'.repeat(40), '1e300', 'x'];
    const queries = ids.map((id) => `id=${id}`);
    for (const query of [...queries, 'id=', 'id=Infinity', 'path=%00', 'path=../a']) {
      const { status, body: found } = await ask(owner, 'GET', `locks?${query}`);
      assert.deepEqual([status, found.locks], [200, []], query);
    }
    for (const id of ids) {
      const { status } = await ask(mate, 'POST', `locks/${id}/unlock`, { force: true });
      assert.equal(status, 404, id);
    }
    assert.deepEqual((await ask(owner, 'GET', 'locks?path=')).body.locks, [body.lock]);
    for (const cursor of ['999999999999999', '9'.repeat(40), '-1', 'x']) {
      assert.equal((await ask(owner, 'GET', `locks?cursor=${cursor}`)).status, 200, cursor);
    }
    const objects = ['\0', '\ud800', 'a'].map((oid) => ({ oid, size: 1 }));
    const odd = await ask(owner, 'POST', 'objects/batch', { operation: 'download', objects });
    assert.deepEqual(
      odd.body.objects.map(({ error }: { error: { code: number } }) => error.code),
      [422, 422, 422],
    );
  });

  test('takes at most 100,000 objects of a repository, whose deletion removes them in parts', async () => {
    const { id } = (await owner.get(`/repos/${name}`)).body;
    await forge.database.write((sql) =>
      sql.run(
        `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 100000)
         insert into lfs_objects (repository_id, oid, size, file, created_at)
         select cast($1 as bigint), cast(n as text), 1, cast(n as text), 0 from numbers`,
        id,
      ),
    );
    const bytes = Buffer.from('one too many');
    const refused = await send(owner, bytes);
    assert.deepEqual(
      [refused.status, JSON.parse(refused.text).message],
      [422, 'A repository has at most 100000 objects of Git LFS.'],
    );
    assert.equal((await owner.delete(`/repos/${name}`)).status, 204);
    await forge.ports.background.idle();
    assert.equal(await forge.database.read((sql) => countObjects(sql, id)), 0);
  });

  test('locks paths', async () => {
    for (const path of ['', '/a', '../a', 'a/../b', 3]) {
      assert.equal((await ask(owner, 'POST', 'locks', { path })).status, 422, String(path));
    }
    const made = await ask(owner, 'POST', 'locks', { path: 'a/b.psd' });
    const { lock } = made.body;
    assert.deepEqual([made.status, lock.path, lock.owner.name], [201, 'a/b.psd', 'owner']);
    assert.match(lock.locked_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const taken = await ask(mate, 'POST', 'locks', { path: 'a/b.psd' });
    assert.deepEqual([taken.status, taken.body.lock], [409, lock]);
    const { body: second } = await ask(mate, 'POST', 'locks', { path: 'c' });
    const verified = await ask(mate, 'POST', 'locks/verify', {});
    assert.deepEqual(verified.body, { ours: [second.lock], theirs: [lock] });
    const first = await ask(owner, 'GET', 'locks?limit=1');
    assert.deepEqual(first.body, { locks: [lock], next_cursor: lock.id });
    const next = await ask(owner, 'GET', `locks?limit=1&cursor=${lock.id}`);
    assert.deepEqual(next.body, { locks: [second.lock] });
    assert.deepEqual((await ask(owner, 'GET', 'locks?path=c')).body.locks, [second.lock]);
    assert.deepEqual((await ask(owner, 'GET', `locks?id=${lock.id}`)).body.locks, [lock]);
    assert.deepEqual((await ask(owner, 'GET', 'locks?id=x')).body.locks, []);
    const unlock = `locks/${lock.id}/unlock`;
    assert.equal((await ask(mate, 'POST', unlock, {})).status, 403);
    assert.equal((await ask(mate, 'POST', unlock, { force: true })).status, 200);
    assert.equal((await ask(owner, 'POST', unlock, {})).status, 404);
    assert.equal((await ask(mate, 'POST', `locks/${second.lock.id}/unlock`, {})).status, 200);
  });
});
