import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { updateRepository } from '../repositories/repository-store.ts';
import { writeRepository } from '../events/invalidate.ts';
import { repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

const dayMilliseconds = 24 * 3_600_000;

describe('the invitations of a repository', () => {
  let forge: TestForge;
  let owner: TestUser;
  let invitee: TestUser;
  before(async () => {
    forge = await startTestForge();
    owner = await forge.user();
    invitee = await forge.user();
  });
  after(() => forge.close());

  const invite = async (fullName: string, login = invitee.login, permission = 'push') => {
    const path = `/repos/${fullName}/collaborators/${login}`;
    const response = await owner.put(path, { permission });
    assert.equal(response.status, 201, response.text);
    return response.body;
  };

  it('are for administrators: others get 403, 401 without an account, 404 if private', async () => {
    const open = await forge.repository(owner);
    const hidden = await forge.repository(owner, { private: true });
    const pusher = await forge.user();
    const { id } = await invite(open, pusher.login, 'maintain');
    await pusher.patch(`/user/repository_invitations/${id}`);
    const invitation = await invite(open);
    const secret = await invite(hidden);
    const attempts = [
      ['GET', '', undefined],
      ['PATCH', `/${invitation.id}`, { permissions: 'admin' }],
      ['DELETE', `/${invitation.id}`, undefined],
    ] as const;
    for (const [method, tail, body] of attempts) {
      const path = `/repos/${open}/invitations${tail}`;
      for (const client of [pusher, invitee, await forge.withScopes(owner, [])]) {
        const response = await client.send(method, path, { body });
        assert.equal(response.status, 403, method);
        assert.equal(response.body.message, 'Must have admin rights to Repository.');
      }
      assert.equal((await forge.anonymous.send(method, path, { body })).status, 401);
      const hiddenPath = path.replace(open, hidden).replace(invitation.id, secret.id);
      for (const client of [forge.anonymous, pusher, invitee]) {
        assert.equal((await client.send(method, hiddenPath, { body })).status, 404, method);
      }
    }
    assert.deepEqual((await owner.get(`/repos/${open}/invitations`)).body, [invitation]);
    assert.deepEqual((await owner.get(`/repos/${hidden}/invitations`)).body, [secret]);
  });

  it('list what is open, the oldest first, in pages', async () => {
    const fullName = await forge.repository(owner);
    const path = `/repos/${fullName}/invitations`;
    assert.deepEqual((await owner.get(path)).body, []);
    const ids: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { login } = await forge.user();
      ids.push((await invite(fullName, login)).id);
    }
    const first = await owner.get(`${path}?per_page=2`);
    assert.deepEqual(
      first.body.map((item: { id: number }) => item.id),
      ids.slice(0, 2),
    );
    const canonical = `http://forge.test/api/v3/repositories/${await repositoryId(forge, fullName)}`;
    assert.equal(
      first.headers['link'],
      `<${canonical}/invitations?per_page=2&page=2>; rel="next", ` +
        `<${canonical}/invitations?per_page=2&page=2>; rel="last"`,
    );
    const rest = await owner.get(
      first.headers['link']?.match(/<http:\/\/[^/]+([^>]+)>/)?.[1] ?? '',
    );
    assert.deepEqual(
      rest.body.map((item: { id: number }) => item.id),
      ids.slice(2),
    );
  });

  it('change the permission offered, by either method and either path', async () => {
    const fullName = await forge.repository(owner);
    const invitation = await invite(fullName);
    const path = `/repos/${fullName}/invitations/${invitation.id}`;
    for (const permissions of ['admin', 'maintain', 'triage', 'write', 'read']) {
      const response = await owner.patch(path, { permissions });
      assert.equal(response.status, 200);
      assert.deepEqual(response.body, { ...invitation, permissions });
      assert.equal(response.headers['location'], undefined);
      assert.deepEqual((await owner.get(`/repos/${fullName}/invitations`)).body, [response.body]);
    }
    const canonical = `/repositories/${invitation.repository.id}/invitations/${invitation.id}`;
    assert.equal((await owner.post(canonical, { permissions: 'admin' })).body.permissions, 'admin');
    assert.equal((await owner.patch(path)).body.permissions, 'admin');
  });

  it('refuse the values of the collaborators API and wrong types', async () => {
    const fullName = await forge.repository(owner);
    const { id } = await invite(fullName);
    const path = `/repos/${fullName}/invitations/${id}`;
    for (const permissions of ['push', 'none', 'Admin', '', 'owner']) {
      const response = await owner.patch(path, { permissions });
      assert.equal(response.status, 422);
      assert.equal(response.body.message, 'Validation Failed');
      assert.deepEqual(response.body.errors, [
        { resource: 'RepositoryInvitation', field: 'permissions', code: 'invalid' },
      ]);
    }
    assert.equal((await owner.patch(path, { permissions: 1 })).status, 422);
    assert.equal((await owner.patch(path, '[]')).status, 400);
    assert.equal((await owner.get(`/repos/${fullName}/invitations`)).body[0].permissions, 'write');
  });

  it('are cancelled once, and gone from both lists', async () => {
    const fullName = await forge.repository(owner);
    const { id } = await invite(fullName);
    const path = `/repos/${fullName}/invitations/${id}`;
    const cancelled = await owner.delete(path);
    assert.equal(cancelled.status, 204);
    assert.equal(cancelled.text, '');
    assert.equal((await owner.delete(path)).status, 404);
    assert.equal((await owner.patch(path, { permissions: 'read' })).status, 404);
    assert.equal((await invitee.patch(`/user/repository_invitations/${id}`)).status, 404);
    const own: { id: number }[] = (await invitee.get('/user/repository_invitations')).body;
    assert.equal(
      own.some((item) => item.id === id),
      false,
    );
    assert.deepEqual((await owner.get(`/repos/${fullName}/invitations`)).body, []);
  });

  it('are not reached through another repository', async () => {
    const fullName = await forge.repository(owner);
    const { id } = await invite(fullName);
    const intruder = await forge.user();
    const other = await forge.repository(intruder);
    for (const tail of [id, 999_999, 'x', '0', '-1']) {
      const path = `/repos/${other}/invitations/${tail}`;
      assert.equal((await intruder.patch(path, { permissions: 'admin' })).status, 404);
      assert.equal((await intruder.delete(path)).status, 404);
    }
    assert.equal((await owner.get(`/repos/${fullName}/invitations`)).body[0].id, id);
  });

  it('are open to tokens for invitations, which open no code', async () => {
    const hidden = await forge.repository(owner, { private: true });
    const { id } = await invite(hidden);
    const token = await forge.withScopes(owner, ['repo:invite']);
    const path = `/repos/${hidden}/invitations`;
    assert.equal((await token.get(path)).body.length, 1);
    assert.equal((await token.patch(`${path}/${id}`, { permissions: 'read' })).status, 200);
    assert.equal((await token.delete(`${path}/${id}`)).status, 204);
    assert.equal((await token.get(`/repos/${hidden}`)).status, 404);
    assert.equal((await token.get(`/repos/${hidden}/commits/main/status`)).status, 404);
    assert.equal((await token.put(`/repos/${hidden}/collaborators/${invitee.login}`)).status, 404);
  });

  it('stay listed when they have expired, and say so', async () => {
    const fullName = await forge.repository(owner);
    const { id } = await invite(fullName);
    const path = `/repos/${fullName}/invitations`;
    forge.clock.advance(7 * dayMilliseconds - 1);
    assert.equal((await owner.get(path)).body[0].expired, false);
    forge.clock.advance(1);
    assert.equal((await owner.get(path)).body[0].expired, true);
    assert.equal((await owner.delete(`${path}/${id}`)).status, 204);
  });

  it('can be read but not changed once the repository is archived', async () => {
    const fullName = await forge.repository(owner);
    const { id, repository } = await invite(fullName);
    await writeRepository(forge.database, repository.id, (sql) =>
      updateRepository(sql, repository.id, { archived: true }, forge.clock.now()),
    );
    const path = `/repos/${fullName}/invitations`;
    assert.equal((await owner.get(path)).body.length, 1);
    const attempts = [
      owner.patch(`${path}/${id}`, { permissions: 'read' }),
      owner.delete(`${path}/${id}`),
      owner.put(`/repos/${fullName}/collaborators/${invitee.login}`),
      invitee.patch(`/user/repository_invitations/${id}`),
    ];
    for (const response of await Promise.all(attempts)) {
      assert.equal(response.status, 403);
      assert.equal(response.body.message, 'Repository was archived so is read-only.');
    }
    assert.equal((await invitee.delete(`/user/repository_invitations/${id}`)).status, 204);
  });
});
