import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

const dayMilliseconds = 24 * 3_600_000;

describe('the invitations of a user', () => {
  let forge: TestForge;
  let owner: TestUser;
  before(async () => {
    forge = await startTestForge();
    owner = await forge.user();
  });
  after(() => forge.close());

  const mine = '/user/repository_invitations';

  const invite = async (fullName: string, user: TestUser, permission = 'push') => {
    const path = `/repos/${fullName}/collaborators/${user.login}`;
    const response = await owner.put(path, { permission });
    assert.equal(response.status, 201, response.text);
    return response.body;
  };

  it('need a signed-in user', async () => {
    for (const response of [
      await forge.anonymous.get(mine),
      await forge.anonymous.patch(`${mine}/1`),
      await forge.anonymous.delete(`${mine}/1`),
    ]) {
      assert.equal(response.status, 401);
      assert.equal(response.body.message, 'Requires authentication');
    }
  });

  it("are no one else's to answer, and stay open for the invitee", async () => {
    const invitee = await forge.user();
    const fullName = await forge.repository(owner);
    const { id } = await invite(fullName, invitee);
    const outsider = await forge.user();
    for (const client of [outsider, owner]) {
      assert.equal((await client.patch(`${mine}/${id}`)).status, 404);
      assert.equal((await client.delete(`${mine}/${id}`)).status, 404);
    }
    for (const absent of ['999999', 'x', '0']) {
      assert.equal((await invitee.patch(`${mine}/${absent}`)).status, 404);
      assert.equal((await invitee.delete(`${mine}/${absent}`)).status, 404);
    }
    assert.equal((await invitee.get(mine)).body.length, 1);
  });

  it('show what the repository shows, with exactly its 48 fields', async () => {
    const invitee = await forge.user();
    const fullName = await forge.repository(owner, { private: true });
    const invitation = await invite(fullName, invitee);
    const response = await invitee.get(mine);
    assert.deepEqual(response.body, [invitation]);
    assert.deepEqual(response.body, (await owner.get(`/repos/${fullName}/invitations`)).body);
    assert.equal(response.headers['x-accepted-oauth-scopes'], 'public_repo, repo, repo:invite');
    assert.equal(Object.keys(invitation.repository).length, 48);
    assert.match(invitation.repository.git_url, /^git:\/\/forge\.test\//);
    assert.match(invitation.repository.ssh_url, /^git@forge\.test:/);
    assert.deepEqual(Object.keys(invitation), [
      'id',
      'node_id',
      'repository',
      'invitee',
      'inviter',
      'permissions',
      'created_at',
      'url',
      'html_url',
      'expired',
    ]);
    assert.equal(
      Buffer.from(invitation.node_id, 'base64').toString(),
      `020:RepositoryInvitation${invitation.id}`,
    );
  });

  it('come in pages whose URLs stay as they are', async () => {
    const invitee = await forge.user();
    for (let count = 0; count < 3; count += 1) await invite(await forge.repository(owner), invitee);
    const response = await invitee.get(`${mine}?per_page=1&page=2`);
    assert.equal(response.body.length, 1);
    assert.match(
      response.headers['link'] ?? '',
      /<http:\/\/forge\.test\/api\/v3\/user\/repository_invitations\?per_page=1&page=3>; rel="next"/,
    );
  });

  it('make a collaborator when accepted, once', async () => {
    const invitee = await forge.user();
    const fullName = await forge.repository(owner, { private: true });
    const { id } = await invite(fullName, invitee, 'maintain');
    assert.equal((await invitee.get(`/repos/${fullName}`)).status, 404);
    const accepted = await invitee.patch(`${mine}/${id}`, {});
    assert.equal(accepted.status, 204);
    assert.equal(accepted.text, '');
    assert.equal((await invitee.get(`/repos/${fullName}`)).body.permissions.maintain, true);
    const collaborator = `/repos/${fullName}/collaborators/${invitee.login}`;
    assert.equal((await owner.get(collaborator)).status, 204);
    const { permission, role_name: role } = (await owner.get(`${collaborator}/permission`)).body;
    assert.deepEqual([permission, role], ['write', 'maintain']);
    assert.deepEqual((await invitee.get(mine)).body, []);
    assert.deepEqual((await owner.get(`/repos/${fullName}/invitations`)).body, []);
    assert.equal((await invitee.patch(`${mine}/${id}`)).status, 404);
    assert.equal((await invitee.delete(`${mine}/${id}`)).status, 404);
  });

  it('give no access when declined, and a new one has a new id', async () => {
    const invitee = await forge.user();
    const fullName = await forge.repository(owner);
    const { id } = await invite(fullName, invitee);
    const declined = await invitee.delete(`${mine}/${id}`, {});
    assert.equal(declined.status, 204);
    assert.equal(declined.text, '');
    assert.equal((await invitee.delete(`${mine}/${id}`)).status, 404);
    assert.equal((await invitee.patch(`${mine}/${id}`)).status, 404);
    const collaborator = `/repos/${fullName}/collaborators/${invitee.login}`;
    assert.equal((await owner.get(collaborator)).status, 404);
    assert.deepEqual((await owner.get(`/repos/${fullName}/invitations`)).body, []);
    assert.notEqual((await invite(fullName, invitee)).id, id);
  });

  it('cannot be accepted after seven days, but made anew or declined', async () => {
    const invitee = await forge.user();
    const fullName = await forge.repository(owner);
    const { id } = await invite(fullName, invitee);
    forge.clock.advance(7 * dayMilliseconds);
    assert.equal((await invitee.get(mine)).body[0].expired, true);
    assert.equal((await invitee.patch(`${mine}/${id}`)).status, 404);
    const renewed = await invite(fullName, invitee);
    assert.notEqual(renewed.id, id);
    assert.equal(renewed.expired, false);
    assert.deepEqual((await invitee.get(mine)).body, [renewed]);
    forge.clock.advance(7 * dayMilliseconds);
    assert.equal((await invitee.delete(`${mine}/${renewed.id}`)).status, 204);
  });

  it('are open to tokens for invitations, which open no code', async () => {
    const invitee = await forge.user();
    const first = await forge.repository(owner, { private: true });
    await commitFiles(forge, first, 'main', { a: '1' });
    const accepted = await invite(first, invitee, 'admin');
    const declined = await invite(await forge.repository(owner, { private: true }), invitee);
    const token = await forge.withScopes(invitee, ['repo:invite']);
    assert.equal((await token.get(mine)).body.length, 2);
    assert.equal((await token.patch(`${mine}/${accepted.id}`)).status, 204);
    assert.equal((await token.delete(`${mine}/${declined.id}`)).status, 204);
    assert.equal((await invitee.get(`/repos/${first}`)).status, 200);
    assert.equal((await token.get(`/repos/${first}`)).status, 404);
    assert.equal((await token.get(`/repos/${first}/commits/main/status`)).status, 404);
  });

  it('are hidden from tokens for other things, private ones from tokens for public ones', async () => {
    const invitee = await forge.user();
    const open = await invite(await forge.repository(owner), invitee);
    const hidden = await invite(await forge.repository(owner, { private: true }), invitee);
    for (const token of [
      await forge.withScopes(invitee, []),
      await forge.withScopes(invitee, ['repo:status', 'user']),
    ]) {
      assert.equal((await token.get(mine)).status, 404);
      assert.equal((await token.patch(`${mine}/${open.id}`)).status, 404);
      assert.equal((await token.delete(`${mine}/${open.id}`)).status, 404);
    }
    const forPublic = await forge.withScopes(invitee, ['public_repo']);
    assert.deepEqual((await forPublic.get(mine)).body, [open]);
    assert.equal((await forPublic.patch(`${mine}/${hidden.id}`)).status, 404);
    assert.equal((await forPublic.delete(`${mine}/${hidden.id}`)).status, 404);
    assert.equal((await forPublic.patch(`${mine}/${open.id}`)).status, 204);
  });
});
