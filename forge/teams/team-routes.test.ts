import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('teams', () => {
  let forge: TestForge;
  let owner: TestUser;
  let member: TestUser;
  let outsider: TestUser;
  let serial = 0;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    member = await forge.user('member');
    outsider = await forge.user('outsider');
    await forge.organization(owner, 'Org');
    await owner.put('/orgs/Org/memberships/member');
  });
  after(() => forge.close());

  /** The path of a new team. */
  async function team(options: Record<string, unknown> = {}, maker = owner): Promise<string> {
    serial += 1;
    const body = { name: `Team ${serial}`, privacy: 'closed', ...options };
    const created = await maker.post('/orgs/org/teams', body);
    assert.equal(created.status, 201, created.text);
    return new URL(created.body.url).pathname;
  }

  async function repository(isPrivate = false): Promise<string> {
    serial += 1;
    const created = await owner.post('/orgs/org/repos', { name: `r${serial}`, private: isPrivate });
    assert.equal(created.status, 201, created.text);
    return created.body.full_name;
  }

  test('are nothing to outsiders', async () => {
    const path = await team();
    assert.equal((await forge.anonymous.get('/orgs/org/teams')).status, 401);
    assert.equal((await outsider.get('/orgs/org/teams')).status, 403);
    assert.equal((await outsider.get('/orgs/own/teams')).status, 404);
    assert.equal((await outsider.post('/orgs/org/teams', { name: 'x' })).status, 403);
    for (const rest of ['', '/members', '/memberships/own', '/repos', '/repos/org/x']) {
      assert.equal((await outsider.get(path + rest)).status, 404, rest);
      assert.equal((await forge.anonymous.get(path + rest)).status, 401, rest);
    }
    const blind = await forge.withScopes(owner, ['public_repo']);
    assert.equal((await blind.get(path)).status, 404, 'a token that cannot read memberships');
    const reading = await forge.withScopes(owner, ['read:org']);
    assert.equal((await reading.get(path)).status, 200);
    assert.equal((await reading.delete(path)).status, 404);
  });

  test('that cannot be are refused', async () => {
    await team({ name: 'Taken' });
    for (const body of [
      {},
      { name: '' },
      { name: '---' },
      { name: 'taken' },
      { name: 'x', privacy: 'open' },
      { name: 'x', permission: 'maintain' },
      { name: 'x', parent_team_id: 1 },
      { name: 'x', maintainers: ['outsider'] },
    ]) {
      const response = await owner.post('/orgs/org/teams', body);
      assert.equal(response.status, 422, JSON.stringify(body));
    }
    const alien = await forge.repository(owner);
    const wrong = await owner.post('/orgs/org/teams', { name: 'x', repo_names: [alien] });
    assert.equal(wrong.status, 422);
    assert.equal((await owner.get('/orgs/org/teams/x')).status, 404, 'nothing was stored');
  });

  test('are made with what was asked for, and changed', async () => {
    const name = await repository();
    const created = await owner.post('/orgs/org/teams', {
      name: 'Justice League',
      description: 'Heroes',
      privacy: 'closed',
      permission: 'push',
      maintainers: ['member'],
      repo_names: [name],
    });
    assert.equal(created.status, 201, created.text);
    const { body } = created;
    const url = 'http://forge.test/api/v3/orgs/Org/teams/justice-league';
    assert.deepEqual(
      [body.url, body.slug, body.privacy, body.permission, body.parent],
      [url, 'justice-league', 'closed', 'push', null],
    );
    assert.equal(body.node_id, Buffer.from(`04:Team${body.id}`).toString('base64'));
    assert.deepEqual([body.members_count, body.repos_count], [2, 1]);
    assert.equal(body.organization.login, 'Org');
    assert.deepEqual((await member.get('/orgs/ORG/teams/Justice-League')).body, body);
    const changed = await member.patch('/orgs/org/teams/justice-league', { name: 'Two Words' });
    assert.deepEqual([changed.status, changed.body.slug], [201, 'two-words']);
    assert.deepEqual([changed.body.description, changed.body.permission], ['Heroes', 'push']);
    await team({ name: 'Other' });
    assert.equal((await member.patch('/orgs/org/teams/two-words', { name: 'other' })).status, 422);
    assert.equal((await member.delete('/orgs/org/teams/two-words')).status, 204);
    assert.equal((await member.get('/orgs/org/teams/two-words')).status, 404);
  });

  test('are changed by maintainers and owners only', async () => {
    const path = await team();
    await owner.put(`${path}/memberships/member`);
    for (const [method, rest] of [
      ['PATCH', ''],
      ['DELETE', ''],
      ['PUT', '/memberships/outsider'],
      ['DELETE', '/memberships/own'],
    ] as const) {
      assert.equal((await member.send(method, path + rest)).status, 403, method + rest);
    }
    await owner.put(`${path}/memberships/member`, { role: 'maintainer' });
    assert.equal((await member.patch(path, { description: 'x' })).status, 201);
    const alien = await member.put(`${path}/memberships/outsider`);
    assert.equal(alien.status, 403, 'only owners bring in people who are not in the organization');
  });

  test('that are secret are known to their members and the owners', async () => {
    const path = await team({ privacy: 'secret' });
    const slugs = async (user: TestUser): Promise<string[]> =>
      (await user.get('/orgs/org/teams?per_page=100')).body.map(
        (each: { url: string }) => each.url,
      );
    const url = `http://forge.test${path}`;
    assert.equal((await member.get(path)).status, 404);
    assert.ok(!(await slugs(member)).includes(url));
    assert.ok((await slugs(owner)).includes(url));
    await owner.put(`${path}/memberships/member`);
    assert.ok((await slugs(member)).includes(url));
  });

  test('have members, who can go', async () => {
    const path = await team();
    const joined = await owner.put(`${path}/memberships/member`);
    const url = `http://forge.test${path}/memberships/member`;
    assert.deepEqual(joined.body, { url, role: 'member', state: 'active' });
    const logins = async (query: string): Promise<string[]> =>
      (await owner.get(`${path}/members${query}`)).body.map(
        (each: { login: string }) => each.login,
      );
    assert.deepEqual(await logins(''), ['own', 'member']);
    assert.deepEqual(await logins('?role=maintainer'), ['own']);
    assert.deepEqual(await logins('?per_page=1&page=2'), ['member']);
    const own = (await member.get('/user/teams')).body;
    assert.ok(own.some((each: { url: string }) => each.url === `http://forge.test${path}`));
    assert.equal((await member.delete(`${path}/memberships/member`)).status, 204);
    assert.equal((await member.delete(`${path}/memberships/member`)).status, 404);
    assert.equal((await owner.get(`${path}/memberships/member`)).status, 404);
  });

  test('are left with the organization, and an owner brings people into both at once', async () => {
    const path = await team();
    const guest = await forge.user();
    assert.equal((await owner.put(`${path}/memberships/${guest.login}`)).status, 200);
    assert.equal((await owner.get(`/orgs/org/members/${guest.login}`)).status, 204);
    await owner.delete(`/orgs/org/members/${guest.login}`);
    await owner.put(`/orgs/org/memberships/${guest.login}`);
    assert.equal((await owner.get(`${path}/memberships/${guest.login}`)).status, 404);
  });

  test('are given repositories of the organization by those who administer them', async () => {
    const path = await team();
    const name = await repository();
    const alien = await forge.repository(owner);
    assert.equal((await member.put(`${path}/repos/${name}`)).status, 403);
    assert.equal((await owner.put(`${path}/repos/${alien}`)).status, 422);
    assert.equal((await owner.put(`${path}/repos/org/absent`)).status, 404);
    assert.equal((await owner.put(`${path}/repos/${name}`, { permission: 'all' })).status, 422);
    assert.equal((await owner.get(`${path}/repos/${name}`)).status, 404);
    assert.equal(
      (await owner.put(`${path}/repos/${name}`, { permission: 'maintain' })).status,
      204,
    );
    assert.equal((await member.get(`${path}/repos/${name}`)).status, 204);
    const [listed] = (await member.get(`${path}/repos`)).body;
    assert.deepEqual([listed.full_name, listed.permissions.maintain], [name, true]);
    assert.equal((await member.get(`/repos/${name}/teams`)).status, 403);
    const [grant] = (await owner.get(`/repos/${name}/teams`)).body;
    assert.deepEqual([grant.url, grant.permission], [`http://forge.test${path}`, 'maintain']);
    assert.equal((await member.delete(`${path}/repos/${name}`)).status, 403);
    assert.equal((await owner.delete(`${path}/repos/${name}`)).status, 204);
    assert.deepEqual((await owner.get(`/repos/${name}/teams`)).body, []);
  });

  test('give their members what they have, in every way to a repository', async () => {
    const path = await team();
    const name = await repository(true);
    await commitFiles(forge, name, 'main', { a: '1\n' });
    const file = { message: 'x', content: '' };
    const write = async (): Promise<number> =>
      (await member.put(`/repos/${name}/contents/f${(serial += 1)}`, file)).status;
    const permission = async (): Promise<string> =>
      (await owner.get(`/repos/${name}/collaborators/member/permission`)).body.permission;
    const assignable = async (): Promise<number> =>
      (await owner.get(`/repos/${name}/assignees/member`)).status;
    assert.deepEqual([await write(), await permission(), await assignable()], [404, 'read', 404]);
    await owner.put(`${path}/repos/${name}`, { permission: 'push' });
    assert.equal(await write(), 404, 'not a member yet');
    await owner.put(`${path}/memberships/member`);
    assert.deepEqual([await write(), await permission(), await assignable()], [201, 'write', 204]);
    assert.equal((await member.get(`/repos/${name}`)).body.permissions.push, true);
    const listed = (await owner.get(`/repos/${name}/collaborators`)).body;
    const own = listed.find((each: { login: string }) => each.login === 'member');
    assert.equal(own.permissions.push, true);
    const narrow = await forge.withScopes(member, ['public_repo']);
    assert.equal((await narrow.get(`/repos/${name}`)).status, 404, 'scopes narrow it as ever');
    const other = await team();
    await owner.put(`${other}/memberships/member`);
    await owner.put(`${other}/repos/${name}`, { permission: 'pull' });
    assert.equal(await permission(), 'write', 'the highest of several counts');
    await owner.put(`${other}/repos/${name}`, { permission: 'admin' });
    assert.equal(await permission(), 'admin');
    await owner.delete(other);
    assert.equal(await permission(), 'write');
    await owner.delete(`${path}/repos/${name}`);
    assert.deepEqual([await write(), await permission()], [404, 'read']);
  });

  test('lose a repository that leaves the organization', async () => {
    const path = await team();
    const name = await repository();
    await owner.put(`${path}/repos/${name}`, { permission: 'admin' });
    const moved = await owner.post(`/repos/${name}/transfer`, { new_owner: 'own' });
    assert.equal(moved.status, 202, moved.text);
    await owner.post(`/repos/own/${name.split('/')[1]}/transfer`, { new_owner: 'org' });
    assert.deepEqual((await owner.get(`/repos/${name}/teams`)).body, []);
  });

  test('are asked for reviews until one of their members has given one', async () => {
    const path = await team();
    const slug = path.split('/').at(-1);
    const name = await repository();
    const base = await commitFiles(forge, name, 'main', { a: '1\n' });
    await commitFiles(forge, name, 'topic', { a: '2\n' }, { parents: [base] });
    const created = await owner.post(`/repos/${name}/pulls`, {
      title: 'x',
      head: 'topic',
      base: 'main',
    });
    const pull = `/repos/${name}/pulls/${created.body.number}`;
    const requests = `${pull}/requested_reviewers`;
    const input = { team_reviewers: [slug] };
    const refused = await owner.post(requests, input);
    assert.equal(refused.status, 422);
    assert.match(refused.body.message, /users or teams you specified is not a collaborator/);
    await owner.put(`${path}/repos/${name}`);
    const requestedRole = await owner.post(requests, input);
    assert.equal(requestedRole.status, 201, requestedRole.text);
    const urls = (teams: readonly { url: string }[]): string[] => teams.map((each) => each.url);
    const url = `http://forge.test${path}`;
    assert.deepEqual(urls(requestedRole.body.requested_teams), [url]);
    assert.deepEqual(urls((await owner.get(requests)).body.teams), [url]);
    assert.deepEqual(urls((await owner.get(pull)).body.requested_teams), [url]);
    assert.equal((await owner.delete(requests, { team_reviewers: [slug, 'absent'] })).status, 200);
    assert.deepEqual((await owner.get(pull)).body.requested_teams, []);
    await owner.post(requests, input);
    await owner.put(`${path}/memberships/member`);
    await member.post(`${pull}/reviews`, { event: 'APPROVE' });
    assert.deepEqual((await owner.get(pull)).body.requested_teams, []);
    await owner.post(requests, input);
    await owner.delete(`${path}/repos/${name}`);
    assert.deepEqual((await owner.get(pull)).body.requested_teams, []);
  });
});
