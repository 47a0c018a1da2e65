import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { authorizeRepository } from '../repositories/repository-access.ts';
import { makeSshKey } from '../testing/ssh-keys.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { addSshKey } from './add-ssh-key.ts';

describe('public keys for SSH', () => {
  let forge: TestForge;
  let owner: TestUser;
  let stranger: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    stranger = await forge.user('stranger');
  });
  after(() => forge.close());

  const taken = {
    resource: 'PublicKey',
    code: 'custom',
    field: 'key',
    message: 'key is already in use',
  };

  test('are refused with the reason, and then nothing is stored', async () => {
    const user = await forge.user('novice');
    const missing = await user.post('/user/keys', { title: 'x' });
    assert.equal(missing.status, 422);
    const wrong = await user.post('/user/keys', { key: 'x' });
    assert.deepEqual(
      [wrong.status, wrong.body.errors],
      [
        422,
        [
          {
            resource: 'PublicKey',
            code: 'custom',
            field: 'key',
            message: 'key is invalid. You must supply a key in OpenSSH public key format',
          },
        ],
      ],
    );
    const { publicKey: key } = makeSshKey();
    assert.equal((await user.post('/user/keys', { key, title: 'x'.repeat(256) })).status, 422);
    assert.equal((await user.post('/user/keys', { key, title: 'a\u0007b' })).status, 422);
    assert.equal((await user.post('/user/keys', { key: 1 })).status, 422);
    assert.deepEqual((await user.get('/user/keys')).body, []);
  });

  test('of a user are added, read, listed and deleted', async () => {
    const { publicKey } = makeSshKey('ada@laptop');
    const key = publicKey.split(' ').slice(0, 2).join(' ');
    const added = await owner.post('/user/keys', { key: publicKey, title: 'Laptop' });
    assert.equal(added.status, 201);
    const { id } = added.body;
    assert.deepEqual(added.body, {
      id,
      key,
      title: 'Laptop',
      verified: true,
      created_at: added.body.created_at,
      read_only: false,
      last_used: null,
      url: `http://forge.test/api/v3/user/keys/${id}`,
    });
    assert.equal(added.headers['location'], added.body.url);
    assert.deepEqual((await owner.get(`/user/keys/${id}`)).body, added.body);
    assert.deepEqual((await owner.get('/user/keys')).body, [added.body]);
    assert.deepEqual((await forge.anonymous.get('/users/own/keys')).body, [
      { id, key, created_at: added.body.created_at, last_used: null },
    ]);
    assert.equal((await stranger.get(`/user/keys/${id}`)).status, 404);
    assert.equal((await stranger.delete(`/user/keys/${id}`)).status, 404);
    assert.equal((await owner.delete(`/user/keys/${id}`)).status, 204);
    assert.equal((await owner.delete(`/user/keys/${id}`)).status, 404);
    assert.deepEqual((await owner.get('/user/keys')).body, []);
    assert.equal((await forge.anonymous.get('/users/nobody/keys')).status, 404);
  });

  test('have the comment as title where none is given', async () => {
    const named = await owner.post('/user/keys', { key: makeSshKey('ada@desk').publicKey });
    assert.equal(named.body.title, 'ada@desk');
    const { publicKey } = makeSshKey();
    const [type, bytes] = publicKey.split(' ');
    const unnamed = await owner.post('/user/keys', { key: `${type} ${bytes}`, title: ' ' });
    assert.equal(unnamed.body.title, 'SSH key');
  });

  test('belong to the one user or repository that added them first', async () => {
    const { publicKey: key } = makeSshKey();
    const [one, other] = [await forge.repository(owner), await forge.repository(owner)];
    const requests = [
      owner.post('/user/keys', { key }),
      stranger.post('/user/keys', { key }),
      owner.post(`/repos/${one}/keys`, { key }),
      owner.post(`/repos/${other}/keys`, { key }),
    ];
    const responses = await Promise.all(requests);
    assert.deepEqual(responses.map(({ status }) => status).toSorted(), [201, 422, 422, 422]);
    for (const { status, body } of responses) {
      if (status === 422) assert.deepEqual(body.errors, [taken]);
    }
    const again = await owner.post('/user/keys', { key: `${key} with another comment` });
    assert.deepEqual(again.body.errors, [taken]);
  });

  test('of a repository are for its administrators', async () => {
    const name = await forge.repository(owner);
    const path = `/repos/${name}/keys`;
    const { publicKey: key } = makeSshKey();
    assert.equal((await stranger.get(path)).status, 404);
    assert.equal((await stranger.post(path, { key })).status, 404);
    const added = await owner.post(path, { key, title: 'Deploy', read_only: true });
    assert.equal(added.status, 201);
    assert.deepEqual(
      [added.body.read_only, added.body.added_by, added.body.enabled, added.body.url],
      [true, 'own', true, `http://forge.test/api/v3${path}/${added.body.id}`],
    );
    assert.equal((await stranger.get(`${path}/${added.body.id}`)).status, 404);
    assert.equal((await stranger.delete(`${path}/${added.body.id}`)).status, 404);
    assert.deepEqual((await owner.get(path)).body, [added.body]);
    assert.deepEqual((await owner.get(`${path}/${added.body.id}`)).body, added.body);
    const other = await forge.repository(owner);
    assert.equal((await owner.get(`/repos/${other}/keys/${added.body.id}`)).status, 404);
    assert.equal((await owner.delete(`/repos/${other}/keys/${added.body.id}`)).status, 404);
    assert.equal((await owner.get(`/user/keys/${added.body.id}`)).status, 404);
    await owner.patch(`/repos/${name}`, { archived: true });
    assert.equal((await owner.post(path, { key: makeSshKey().publicKey })).status, 403);
    assert.equal((await owner.delete(`${path}/${added.body.id}`)).status, 204);
  });

  test('of a repository go with it, and can then be used elsewhere', async () => {
    const name = await forge.repository(owner);
    const { publicKey: key } = makeSshKey();
    const { body } = await owner.post(`/repos/${name}/keys`, { key });
    assert.equal(body.read_only, false);
    assert.equal((await owner.delete(`/repos/${name}`)).status, 204);
    assert.equal((await owner.post('/user/keys', { key })).status, 201);
  });

  test('of a repository that is deleted meanwhile are refused like those of one that is not there', async () => {
    const name = await forge.repository(owner);
    const id = (await owner.get(`/repos/${name}`)).body.id;
    const key = { key: makeSshKey().publicKey };
    const adding = addSshKey(forge.ports, { repositoryId: id }, key, {
      actorId: owner.account.id,
      now: forge.clock.now(),
      // The repository is gone by the time of the transaction.
      authorize: async (sql) => {
        await sql.run('delete from repositories where id = $1', id);
        const caller = { kind: 'user', account: owner.account, scopes: 'password' } as const;
        return authorizeRepository(sql, caller, { id }, { permission: 'admin', changes: true });
      },
    });
    await assert.rejects(adding, { refusal: { kind: 'not-found' } });
  });

  test('are at most 100 of a user', async () => {
    const user = await forge.user('collector');
    const statuses = new Set<number>();
    for (let count = 0; count < 100; count += 1) {
      statuses.add((await user.post('/user/keys', { key: makeSshKey().publicKey })).status);
    }
    assert.deepEqual([...statuses], [201]);
    const { body } = await user.post('/user/keys', { key: makeSshKey().publicKey });
    assert.match(body.errors[0].message, /at most 100 keys/);
    assert.equal((await user.get('/user/keys?per_page=1&page=100')).body.length, 1);
  });
});
