import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('organizations', () => {
  let forge: TestForge;
  let boss: TestUser;
  let member: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    boss = await forge.user('boss');
    member = await forge.user('member');
    outsider = await forge.user('stranger');
    await forge.organization(boss, 'acme');
    await boss.put('/orgs/acme/memberships/member', { role: 'member' });
    await boss.post('/orgs/acme/repos', { name: 'hidden', private: true });
  });
  after(() => forge.close());

  const logins = (body: { login: string }[]): string[] => body.map((each) => each.login);

  test('an organization is seen by everybody, its private repositories are counted for members', async () => {
    assert.equal((await forge.anonymous.get('/orgs/nobody')).status, 404);
    assert.equal((await forge.anonymous.get('/orgs/boss')).status, 404);
    const outside = (await forge.anonymous.get('/orgs/ACME')).body;
    assert.deepEqual(
      [outside.login, outside.type, outside.public_repos],
      ['acme', 'Organization', 0],
    );
    assert.equal(outside.total_private_repos, undefined);
    assert.equal((await member.get('/orgs/acme')).body.total_private_repos, 1);
  });

  test('memberships are known to the members themselves', async () => {
    assert.equal((await forge.anonymous.get('/user/orgs')).status, 401);
    assert.deepEqual(logins((await member.get('/user/orgs')).body), ['acme']);
    assert.deepEqual(logins((await boss.get('/users/member/orgs')).body), ['acme']);
    assert.deepEqual((await outsider.get('/users/member/orgs')).body, []);
    assert.equal((await outsider.get('/users/nobody/orgs')).status, 404);
    assert.deepEqual(logins((await member.get('/orgs/acme/members')).body), ['boss', 'member']);
    assert.deepEqual(logins((await member.get('/orgs/acme/members?role=admin')).body), ['boss']);
    assert.deepEqual((await outsider.get('/orgs/acme/members')).body, []);
    assert.equal((await member.get('/orgs/acme/members/boss')).status, 204);
    assert.equal((await member.get('/orgs/acme/members/stranger')).status, 404);
    assert.equal((await outsider.get('/orgs/acme/members/boss')).status, 404);
  });

  test('a membership is shown to members only', async () => {
    assert.equal((await outsider.get('/orgs/acme/memberships/boss')).status, 403);
    assert.equal((await member.get('/orgs/acme/memberships/stranger')).status, 404);
    const { body } = await member.get('/orgs/acme/memberships/boss');
    assert.deepEqual([body.role, body.state, body.user.login], ['admin', 'active', 'boss']);
  });

  test('only owners change members, with a token for it, and never the last owner', async () => {
    const path = '/orgs/acme/memberships/stranger';
    assert.equal((await member.put(path, {})).status, 403);
    const narrow = await forge.withScopes(boss, ['repo', 'read:org']);
    assert.equal((await narrow.put(path, {})).status, 404);
    assert.equal((await boss.put('/orgs/acme/memberships/nobody', {})).status, 404);
    assert.equal((await boss.put(path, { role: 'king' })).status, 422);
    const last = await boss.put('/orgs/acme/memberships/boss', { role: 'member' });
    assert.equal(last.status, 403);
    assert.match(last.body.message, /^boss is the last owner of acme/);
    assert.equal((await boss.delete('/orgs/acme/memberships/boss')).status, 403);
  });

  test('a member who leaves loses what the organization granted', async () => {
    const guest = await forge.user('guest');
    const created = await boss.put('/orgs/acme/memberships/guest', {});
    assert.equal(created.body.role, 'member');
    const repository = await guest.post('/orgs/acme/repos', { name: 'made-here', private: true });
    assert.equal(repository.status, 201);
    assert.equal((await guest.get('/repos/acme/made-here')).status, 200);
    assert.equal((await member.delete('/orgs/acme/members/guest')).status, 403);
    assert.equal((await guest.delete('/orgs/acme/memberships/guest')).status, 204);
    assert.equal((await guest.get('/repos/acme/made-here')).status, 404);
    assert.equal((await boss.delete('/orgs/acme/members/guest')).status, 404);
  });
});
