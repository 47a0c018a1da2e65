import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { putMember } from '../accounts/account-store.ts';
import { writeAccounts } from '../events/invalidate.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('PUT and DELETE /repos/:owner/:repo/collaborators/:username', () => {
  let forge: TestForge;
  let owner: TestUser;
  before(async () => {
    forge = await startTestForge();
    owner = await forge.user();
  });
  after(() => forge.close());

  const join = async (fullName: string, user: TestUser, permission: string): Promise<void> => {
    const { id } = (await owner.put(pathOf(fullName, user), { permission })).body;
    assert.equal((await user.patch(`/user/repository_invitations/${id}`)).status, 204);
  };

  const roleOf = async (fullName: string, user: TestUser): Promise<string> =>
    (await owner.get(`${pathOf(fullName, user)}/permission`)).body.role_name;

  it('are for administrators: others get 403, 401 without an account, 404 if private', async () => {
    const open = await forge.repository(owner);
    const hidden = await forge.repository(owner, { private: true });
    const maintainer = await forge.user();
    await join(open, maintainer, 'maintain');
    const friend = await forge.user();
    for (const method of ['PUT', 'DELETE']) {
      for (const client of [maintainer, friend, await forge.withScopes(owner, ['repo:invite'])]) {
        const response = await client.send(method, pathOf(open, friend));
        assert.equal(response.status, 403);
        assert.equal(response.body.message, 'Must have admin rights to Repository.');
      }
      assert.equal((await forge.anonymous.send(method, pathOf(open, friend))).status, 401);
      for (const client of [forge.anonymous, maintainer, await forge.withScopes(owner, [])]) {
        assert.equal((await client.send(method, pathOf(hidden, friend))).status, 404);
      }
      assert.equal((await owner.send(method, pathOf(open, { login: 'nobody' }))).status, 404);
    }
    assert.deepEqual((await owner.get(`/repos/${open}/invitations`)).body, []);
  });

  it('refuse the owner, and unknown permissions', async () => {
    const fullName = await forge.repository(owner);
    const own = await owner.put(pathOf(fullName, { login: owner.login.toUpperCase() }));
    assert.equal(own.status, 422);
    assert.equal(own.body.message, 'Validation Failed');
    assert.deepEqual(own.body.errors, [
      {
        resource: 'Repository',
        code: 'custom',
        message: 'Repository owner cannot be a collaborator',
      },
    ]);
    const friend = await forge.user();
    for (const [permission, quoted] of [
      ['foo', 'foo'],
      [{ permission: 'push' }, '{"permission"=>"push"}'],
    ] as const) {
      const response = await owner.put(pathOf(fullName, friend), { permission });
      assert.equal(response.status, 422);
      assert.equal(response.body.message, `\`${quoted}\` is not a valid permission.`);
      assert.equal('errors' in response.body, false);
    }
    assert.equal((await owner.put(pathOf(fullName, friend), '[1]')).status, 400);
    assert.deepEqual((await owner.get(`/repos/${fullName}/invitations`)).body, []);
  });

  it('invite another user, with push unless another permission is named', async () => {
    const fullName = await forge.repository(owner);
    const friend = await forge.user();
    const response = await owner.put(pathOf(fullName, friend));
    assert.equal(response.status, 201);
    const { id, repository, invitee, inviter, ...rest } = response.body;
    const url = `http://forge.test/api/v3/user/repository_invitations/${id}`;
    assert.equal(rest.permissions, 'write');
    assert.equal(rest.url, url);
    assert.equal(rest.html_url, `http://forge.test/${fullName}/invitations`);
    assert.equal(rest.expired, false);
    assert.equal(response.headers['location'], url);
    assert.match(response.headers['etag'] ?? '', /^"/);
    assert.deepEqual(
      [repository.full_name, invitee.login, inviter.login],
      [fullName, friend.login, owner.login],
    );
    assert.equal(Object.keys(repository).length, 48);
    assert.equal((await owner.get(pathOf(fullName, friend))).status, 404);
  });

  it('offer the five permissions by the names of invitations', async () => {
    const fullName = await forge.repository(owner);
    const words = {
      pull: 'read',
      push: 'write',
      triage: 'triage',
      maintain: 'maintain',
      admin: 'admin',
    };
    for (const [requested, offered] of Object.entries(words)) {
      const friend = await forge.user();
      const response = await owner.put(pathOf(fullName, friend), { permission: requested });
      assert.equal(response.body.permissions, offered);
      await friend.patch(`/user/repository_invitations/${response.body.id}`);
      assert.equal(await roleOf(fullName, friend), offered);
    }
  });

  it('keep one open invitation an account, which takes over what is asked next', async () => {
    const fullName = await forge.repository(owner);
    const friend = await forge.user();
    const path = pathOf(fullName, friend);
    const first = (await owner.put(path, { permission: 'admin' })).body;
    const again = await owner.put(path, {});
    assert.deepEqual([again.status, again.body], [201, first]);
    const lower = await owner.put(path, { permission: 'pull' });
    assert.deepEqual(lower.body, { ...first, permissions: 'read' });
    assert.equal((await owner.put(path)).body.permissions, 'write');
    assert.equal((await owner.get(`/repos/${fullName}/invitations`)).body.length, 1);
  });

  it('make one invitation of many requests at once', async () => {
    const fullName = await forge.repository(owner);
    const friend = await forge.user();
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => owner.put(pathOf(fullName, friend))),
    );
    assert.equal(new Set(responses.map((response) => response.body.id)).size, 1);
    assert.ok(responses.every((response) => response.status === 201));
  });

  it('change the permission of a collaborator at once, and none that is not named', async () => {
    const fullName = await forge.repository(owner);
    const friend = await forge.user();
    await join(fullName, friend, 'admin');
    for (const [body, role] of [
      [{}, 'admin'],
      [undefined, 'admin'],
      [{ permission: 'pull' }, 'read'],
      [{}, 'write'],
    ]) {
      const response = await owner.put(pathOf(fullName, friend), body);
      assert.equal(response.status, 204);
      assert.equal(response.text, '');
      assert.equal(await roleOf(fullName, friend), role);
    }
    assert.deepEqual((await owner.get(`/repos/${fullName}/invitations`)).body, []);
  });

  it('let another administrator invite, and name the first inviter', async () => {
    const fullName = await forge.repository(owner);
    const admin = await forge.user();
    await join(fullName, admin, 'admin');
    const friend = await forge.user();
    assert.equal((await admin.put(pathOf(fullName, friend))).body.inviter.login, admin.login);
    assert.equal((await owner.put(pathOf(fullName, friend))).body.inviter.login, admin.login);
    const self = await admin.put(pathOf(fullName, admin), { permission: 'push' });
    assert.equal(self.status, 204);
    assert.equal(await roleOf(fullName, admin), 'write');
  });

  it('add members of the owning organization without asking them', async () => {
    const organization = await forge.organization(owner);
    const created = await owner.post(`/orgs/${organization.login}/repos`, {
      name: 'shared',
      private: true,
    });
    const fullName: string = created.body.full_name;
    const member = await forge.user();
    const invited = (await owner.put(pathOf(fullName, member))).body;
    await writeAccounts(forge.database, (sql) =>
      putMember(sql, organization.id, member.account.id, 'member'),
    );
    const response = await owner.put(pathOf(fullName, member), { permission: 'maintain' });
    assert.equal(response.status, 204);
    assert.equal(await roleOf(fullName, member), 'maintain');
    const stale = `/user/repository_invitations/${invited.id}`;
    assert.equal((await member.patch(stale)).status, 404);
    assert.equal((await owner.put(pathOf(fullName, owner))).status, 204);
    assert.equal((await owner.put(pathOf(fullName, organization))).status, 422);
    const other = await forge.organization(owner);
    assert.equal((await owner.put(pathOf(fullName, other))).status, 404);
  });

  it('take access away, also to cached responses of the collaborator', async () => {
    const hidden = await forge.repository(owner, { private: true });
    const friend = await forge.user();
    await join(hidden, friend, 'push');
    for (let count = 0; count < 2; count += 1) {
      assert.equal((await friend.get(`/repos/${hidden}`)).status, 200);
    }
    const response = await owner.delete(pathOf(hidden, friend));
    assert.equal(response.status, 204);
    assert.equal(response.text, '');
    assert.equal((await friend.get(`/repos/${hidden}`)).status, 404);
    assert.equal((await owner.get(pathOf(hidden, friend))).status, 404);
    assert.equal((await owner.put(pathOf(hidden, friend))).status, 201);
  });

  it('respond with 204 for those who never were collaborators, and cancel no invitation', async () => {
    const fullName = await forge.repository(owner);
    const friend = await forge.user();
    const invitation = (await owner.put(pathOf(fullName, friend))).body;
    assert.equal((await owner.delete(pathOf(fullName, friend))).status, 204);
    assert.deepEqual((await owner.get(`/repos/${fullName}/invitations`)).body, [invitation]);
    assert.equal((await owner.delete(pathOf(fullName, owner))).status, 204);
    assert.equal((await owner.get(pathOf(fullName, owner))).status, 204);
  });
});

function pathOf(fullName: string, user: { login: string }): string {
  return `/repos/${fullName}/collaborators/${user.login}`;
}
