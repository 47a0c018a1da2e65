import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { putMember } from '../accounts/account-store.ts';
import { writeAccounts } from '../events/invalidate.ts';
import {
  startTestForge,
  type TestClient,
  type TestForge,
  type TestUser,
} from '../testing/test-forge.ts';

describe('the collaborators of a repository', () => {
  let forge: TestForge;
  let owner: TestUser;
  before(async () => {
    forge = await startTestForge();
    owner = await forge.user();
  });
  after(() => forge.close());

  const join = async (fullName: string, user: TestUser, permission: string): Promise<void> => {
    const path = `/repos/${fullName}/collaborators/${user.login}`;
    const { id } = (await owner.put(path, { permission })).body;
    assert.equal((await user.patch(`/user/repository_invitations/${id}`)).status, 204);
  };

  it('are for those who may push: others get 403, 401 or 404', async () => {
    const open = await forge.repository(owner);
    const hidden = await forge.repository(owner, { private: true });
    const reader = await forge.user();
    await join(open, reader, 'triage');
    await join(hidden, reader, 'triage');
    const outsider = await forge.user();
    const see = 'Must have push access to view repository collaborators.';
    for (const [tail, message] of [
      ['', see],
      [`/${reader.login}`, see],
      [`/${reader.login}/permission`, 'Must have push access to view collaborator permission.'],
    ]) {
      const path = `/repos/${open}/collaborators${tail}`;
      for (const client of [reader, outsider, await forge.withScopes(owner, ['repo:status'])]) {
        const response = await client.get(path);
        assert.equal(response.status, 403);
        assert.equal(response.body.message, message);
      }
      assert.equal((await forge.anonymous.get(path)).status, 401);
      const hiddenPath = `/repos/${hidden}/collaborators${tail}`;
      assert.equal((await reader.get(hiddenPath)).status, 403);
      for (const client of [forge.anonymous, outsider, await forge.withScopes(owner, [])]) {
        assert.equal((await client.get(hiddenPath)).status, 404);
      }
    }
  });

  it('are the owner and those who accepted, each with their permissions', async () => {
    const fullName = await forge.repository(owner);
    const pusher = await forge.user();
    const invited = await forge.user();
    await join(fullName, pusher, 'push');
    await owner.put(`/repos/${fullName}/collaborators/${invited.login}`);
    const path = `/repos/${fullName}/collaborators`;
    assert.deepEqual(await entries(pusher, path), [
      `${owner.login} admin`,
      `${pusher.login} write`,
    ]);
    const [, second] = (await owner.get(path)).body;
    assert.deepEqual(second.permissions, {
      admin: false,
      maintain: false,
      push: true,
      triage: true,
      pull: true,
    });
    assert.equal((await owner.get(path)).headers['link'], undefined);
    assert.deepEqual(await entries(owner, `${path}?affiliation=outside`), [
      `${pusher.login} write`,
    ]);
    assert.equal((await entries(owner, `${path}?affiliation=direct`)).length, 2);
    assert.equal((await entries(owner, `${path}?affiliation=whatever`)).length, 2);
  });

  it('come in pages', async () => {
    const fullName = await forge.repository(owner);
    for (let count = 0; count < 3; count += 1) await join(fullName, await forge.user(), 'pull');
    const path = `/repos/${fullName}/collaborators`;
    const whole = await entries(owner, path);
    assert.deepEqual(await entries(owner, `${path}?per_page=3&page=2`), whole.slice(3));
    const { headers } = await owner.get(`${path}?per_page=3`);
    assert.match(headers['link'] ?? '', /\/collaborators\?per_page=3&page=2>; rel="next"/);
  });

  it('of an organization include its members, with the highest permission of each', async () => {
    const organization = await forge.organization(owner);
    const created = await owner.post(`/orgs/${organization.login}/repos`, { name: 'shared' });
    const fullName: string = created.body.full_name;
    const path = `/repos/${fullName}/collaborators`;
    await owner.delete(`${path}/${owner.login}`);
    const [member, direct, outside] = [await forge.user(), await forge.user(), await forge.user()];
    await writeAccounts(forge.database, async (sql) => {
      await putMember(sql, organization.id, member.account.id, 'member');
      await putMember(sql, organization.id, direct.account.id, 'member');
    });
    await owner.put(`${path}/${direct.login}`, { permission: 'maintain' });
    await join(fullName, outside, 'triage');
    assert.deepEqual(await entries(owner, path), [
      `${owner.login} admin`,
      `${member.login} read`,
      `${direct.login} maintain`,
      `${outside.login} triage`,
    ]);
    assert.deepEqual(await entries(owner, `${path}?affiliation=direct`), [
      `${direct.login} maintain`,
      `${outside.login} triage`,
    ]);
    assert.deepEqual(await entries(owner, `${path}?affiliation=outside`), [
      `${outside.login} triage`,
    ]);
    await owner.put(`${path}/${owner.login}`, { permission: 'pull' });
    assert.deepEqual(
      (await entries(owner, `${path}?affiliation=direct`))[0],
      `${owner.login} admin`,
    );
    for (const user of [owner, member, direct, outside]) {
      assert.equal((await owner.get(`${path}/${user.login}`)).status, 204);
    }
    assert.equal((await owner.get(`${path}/${organization.login}`)).status, 404);
  });

  it('can be checked one by one', async () => {
    const fullName = await forge.repository(owner, { private: true });
    const friend = await forge.user();
    await join(fullName, friend, 'admin');
    const path = `/repos/${fullName}/collaborators`;
    const found = await friend.get(`${path}/${friend.login.toUpperCase()}`);
    assert.equal(found.status, 204);
    assert.equal(found.text, '');
    assert.equal((await owner.get(`${path}/${(await forge.user()).login}`)).status, 404);
    assert.equal((await owner.get(`${path}/nobody`)).body.message, 'Not Found');
  });

  it('have a permission, none where they have no access', async () => {
    const open = await forge.repository(owner);
    const hidden = await forge.repository(owner, { private: true });
    const friend = await forge.user();
    const permissionIn = async (fullName: string, login = friend.login) => {
      const response = await owner.get(`/repos/${fullName}/collaborators/${login}/permission`);
      assert.equal(response.status, 200);
      assert.equal(response.body.user.login, login);
      return [response.body.permission, response.body.role_name];
    };
    assert.deepEqual(await permissionIn(open), ['read', 'read']);
    assert.deepEqual(await permissionIn(hidden), ['none', 'none']);
    assert.deepEqual(await permissionIn(hidden, owner.login), ['admin', 'admin']);
    for (const [requested, permission, role] of [
      ['maintain', 'write', 'maintain'],
      ['triage', 'read', 'triage'],
    ] as const) {
      const fullName = await forge.repository(owner, { private: true });
      await join(fullName, friend, requested);
      assert.deepEqual(await permissionIn(fullName), [permission, role]);
    }
    await join(hidden, friend, 'admin');
    await owner.delete(`/repos/${hidden}/collaborators/${friend.login}`);
    assert.deepEqual(await permissionIn(hidden), ['none', 'none']);
    const unknown = `/repos/${hidden}/collaborators/nobody/permission`;
    assert.equal((await owner.get(unknown)).status, 404);
  });
});

/** `login role` of each entry. */
async function entries(client: TestClient, path: string): Promise<string[]> {
  const response = await client.get(path);
  assert.equal(response.status, 200, response.text);
  return response.body.map(
    (item: { login: string; role_name: string }) => `${item.login} ${item.role_name}`,
  );
}
