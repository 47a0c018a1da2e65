import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { addCollaborator } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('lists of repositories', () => {
  let forge: TestForge;
  let ann: TestUser;
  let bob: TestUser;

  interface Listed {
    id: number;
    full_name: string;
    permissions: { admin: boolean; push: boolean };
  }

  before(async () => {
    forge = await startTestForge();
    ann = await forge.user('ann');
    bob = await forge.user('bob');
    await forge.organization(bob, 'acme');
    await bob.put('/orgs/acme/memberships/ann', { role: 'member' });
    await forge.repository(ann, { name: 'b-open' });
    forge.clock.advance(1000);
    await forge.repository(ann, { name: 'a-hidden', private: true });
    forge.clock.advance(1000);
    await bob.post('/orgs/acme/repos', { name: 'shared', private: true });
    forge.clock.advance(1000);
    await forge.repository(bob, { name: 'given', private: true });
    await bob.put('/repos/bob/given/collaborators/ann', { permission: 'push' });
    const [invitation] = (await ann.get('/user/repository_invitations')).body;
    await ann.patch(`/user/repository_invitations/${invitation.id}`);
    await forge.repository(bob, { name: 'other', private: true });
    await bob.post('/orgs/acme/repos', { name: 'website' });
  });
  after(() => forge.close());

  async function names(client: Pick<TestUser, 'get'>, path: string): Promise<string[]> {
    const response = await client.get(path);
    assert.equal(response.status, 200, response.text);
    return response.body.map((repository: Listed) => repository.full_name);
  }

  test('the own list needs a user; type cannot be joined with visibility or affiliation', async () => {
    assert.equal((await forge.anonymous.get('/user/repos')).status, 401);
    for (const query of ['type=owner&visibility=all', 'type=all&affiliation=owner']) {
      const response = await ann.get(`/user/repos?${query}`);
      assert.equal(response.status, 422);
      assert.match(response.body.message, /you cannot specify type/);
    }
    assert.equal((await ann.get('/user/repos?visibility=some')).status, 422);
  });

  test('the own list has what the user owns, was given and shares, by name', async () => {
    assert.deepEqual(await names(ann, '/user/repos'), [
      'acme/shared',
      'acme/website',
      'ann/a-hidden',
      'ann/b-open',
      'bob/given',
    ]);
    const response = await ann.get('/user/repos');
    const rights = response.body.map(({ permissions }: Listed) => [
      permissions.admin,
      permissions.push,
    ]);
    assert.deepEqual(rights, [
      [false, false],
      [false, false],
      [true, true],
      [true, true],
      [false, true],
    ]);
  });

  test('the own list is narrowed by type, visibility and affiliation', async () => {
    assert.deepEqual(await names(ann, '/user/repos?type=owner'), ['ann/a-hidden', 'ann/b-open']);
    assert.deepEqual(await names(ann, '/user/repos?type=public'), ['acme/website', 'ann/b-open']);
    assert.deepEqual(await names(ann, '/user/repos?type=member'), [
      'acme/shared',
      'acme/website',
      'bob/given',
    ]);
    assert.deepEqual(await names(ann, '/user/repos?visibility=private&affiliation=owner'), [
      'ann/a-hidden',
    ]);
    assert.deepEqual(await names(ann, '/user/repos?affiliation=collaborator,owner'), [
      'ann/a-hidden',
      'ann/b-open',
      'bob/given',
    ]);
  });

  test('a token without the repo scope does not see private repositories', async () => {
    const narrow = await forge.withScopes(ann, ['public_repo']);
    assert.deepEqual(await names(narrow, '/user/repos'), ['acme/website', 'ann/b-open']);
  });

  test('lists are sorted and cut into pages', async () => {
    assert.deepEqual(await names(ann, '/user/repos?type=owner&sort=created'), [
      'ann/a-hidden',
      'ann/b-open',
    ]);
    assert.deepEqual(await names(ann, '/user/repos?type=owner&sort=created&direction=asc'), [
      'ann/b-open',
      'ann/a-hidden',
    ]);
    const second = await ann.get('/user/repos?per_page=2&page=2');
    assert.deepEqual(
      second.body.map((each: Listed) => each.full_name),
      ['ann/a-hidden', 'ann/b-open'],
    );
    assert.match(
      second.headers['link'] ?? '',
      /^<http:\/\/forge\.test\/api\/v3\/user\/repos\?per_page=2&page=1>; rel="prev", .*page=3>; rel="next"/,
    );
  });

  test("a user's list has public repositories only, for every caller", async () => {
    assert.equal((await ann.get('/users/nobody/repos')).status, 404);
    assert.deepEqual(await names(ann, '/users/ann/repos'), ['ann/b-open']);
    assert.deepEqual(await names(forge.anonymous, '/users/bob/repos?type=all'), ['acme/website']);
  });

  test("an organization's list shows what the caller may read", async () => {
    assert.equal((await ann.get('/orgs/ann/repos')).status, 404);
    assert.deepEqual(await names(forge.anonymous, '/orgs/acme/repos'), ['acme/website']);
    assert.deepEqual(await names(ann, '/orgs/acme/repos'), ['acme/website', 'acme/shared']);
    assert.deepEqual(await names(ann, '/orgs/acme/repos?type=private'), ['acme/shared']);
    assert.deepEqual(await names(ann, '/orgs/acme/repos?type=forks'), []);
  });

  test('all public repositories are listed in the order they were made, after an id', async () => {
    const first = await forge.anonymous.get('/repositories?per_page=1');
    assert.deepEqual(
      first.body.map((each: Listed) => each.full_name),
      ['ann/b-open'],
    );
    const next = `http://forge.test/api/v3/repositories?per_page=1&since=${first.body[0].id}`;
    assert.equal(
      first.headers['link'],
      `<${next}>; rel="next", <http://forge.test/api/v3/repositories{?since}>; rel="first"`,
    );
    const second = await forge.anonymous.get(next.replace('http://forge.test', ''));
    assert.equal(second.body[0].full_name, 'acme/website');
    assert.equal(second.headers['link'], undefined);
  });

  test('only members make repositories of an organization, and administer what they made', async () => {
    const outsider = await forge.user('stranger');
    const input = { name: 'made' };
    assert.equal((await forge.anonymous.post('/orgs/acme/repos', input)).status, 401);
    assert.equal((await ann.post('/orgs/nobody/repos', input)).status, 404);
    assert.equal((await ann.post('/orgs/bob/repos', input)).status, 404);
    const refused = await outsider.post('/orgs/acme/repos', input);
    assert.equal(refused.status, 403);
    assert.match(refused.body.message, /^You need admin access to the organization/);
    const narrow = await forge.withScopes(ann, ['public_repo']);
    const hidden = await narrow.post('/orgs/acme/repos', { name: 'made', private: true });
    assert.equal(hidden.status, 403);
    const response = await ann.post('/orgs/acme/repos', input);
    assert.equal(response.status, 201, response.text);
    assert.equal(response.headers['location'], 'http://forge.test/api/v3/repos/acme/made');
    assert.equal(response.body.organization.login, 'acme');
    assert.equal((await ann.get('/repos/acme/made')).body.permissions.admin, true);
    assert.equal((await ann.patch('/repos/acme/made', { description: 'x' })).status, 200);
  });

  test('the repository of a user is not transferred by another administrator', async () => {
    const name = await forge.repository(ann, { private: true });
    await addCollaborator(ann, bob, name, 'admin');
    const taken = await bob.post(`/repos/${name}/transfer`, { new_owner: 'bob' });
    assert.deepEqual(
      [taken.status, taken.body.message],
      [403, 'Must be the owner of the repository to transfer it.'],
    );
    assert.equal((await ann.get(`/repos/${name}`)).body.owner.login, 'ann');
  });

  test('a transfer ends the invitation of who owns the repository then', async () => {
    const { login } = await forge.organization(ann);
    const made = await ann.post(`/orgs/${login}/repos`, { name: 'given' });
    assert.equal(made.status, 201, made.text);
    const eve = await forge.user('eve');
    const path = `/repos/${login}/given`;
    const invited = await ann.put(`${path}/collaborators/eve`, { permission: 'pull' });
    assert.equal(invited.status, 201, invited.text);
    const member = await ann.put(`/orgs/${login}/memberships/eve`, { role: 'admin' });
    assert.equal(member.status, 200, member.text);
    const moved = await eve.post(`${path}/transfer`, { new_owner: 'eve' });
    assert.equal(moved.status, 202, moved.text);
    assert.deepEqual((await eve.get('/user/repository_invitations')).body, []);
    const accepted = await eve.patch(`/user/repository_invitations/${invited.body.id}`);
    assert.equal(accepted.status, 404);
  });

  test('a repository goes to an organization of the caller, leaves a redirect, and the caller keeps it', async () => {
    const name = await forge.repository(ann, { name: 'moving', init: true });
    const path = `/repos/${name}/transfer`;
    assert.equal((await bob.post(path, { new_owner: 'bob' })).status, 403);
    assert.equal((await ann.post(path, {})).status, 422);
    assert.equal((await ann.post(path, { new_owner: 'nobody' })).status, 422);
    const unasked = await ann.post(path, { new_owner: 'bob' });
    assert.match(unasked.body.errors[0].message, /only to your account or to your organizations/);
    const response = await ann.post(path, { new_owner: 'ACME' });
    assert.equal(response.status, 202, response.text);
    assert.equal(response.body.full_name, 'acme/moving');
    const moved = await ann.get(`/repos/${name}`);
    assert.equal(moved.status, 301);
    assert.equal(
      moved.headers['location'],
      `http://forge.test/api/v3/repositories/${response.body.id}`,
    );
    assert.equal((await ann.get('/repos/acme/moving')).body.permissions.admin, true);
    await forge.repository(bob, { name: 'moving' });
    const taken = await bob.post('/repos/bob/moving/transfer', { new_owner: 'acme' });
    assert.equal(taken.status, 422);
    assert.equal(taken.body.errors[0].message, 'name already exists on this account');
  });
});
