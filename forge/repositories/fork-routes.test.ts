import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { reconcile } from '../testing/reconcile.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { openForkPull } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { forkRepository } from './fork-repository.ts';
import { repositoriesById } from './repository-store.ts';

describe('forks', () => {
  let forge: TestForge;
  let owner: TestUser;
  let forker: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    forker = await forge.user('forker');
  });
  after(() => forge.close());

  const names = (body: { full_name: string }[]): string[] => body.map((fork) => fork.full_name);

  async function crash(): Promise<never> {
    throw new Error('the power went');
  }

  test('forking needs a user who may read, with a scope for repositories', async () => {
    const open = await forge.repository(owner, { init: true });
    const hidden = await forge.repository(owner, { init: true, private: true });
    assert.equal((await forge.anonymous.post(`/repos/${open}/forks`)).status, 401);
    assert.equal((await forker.post(`/repos/${hidden}/forks`)).status, 404);
    const narrow = await forge.withScopes(forker, ['repo:status']);
    assert.equal((await narrow.post(`/repos/${open}/forks`)).status, 404);
  });

  test('an empty repository cannot be forked', async () => {
    const name = await forge.repository(owner);
    const response = await forker.post(`/repos/${name}/forks`);
    assert.equal(response.status, 403);
    assert.match(response.body.message, /Empty repositories cannot be forked/);
  });

  test('a fork has the code, the parent and the description, and stays apart', async () => {
    const name = await forge.repository(owner, { init: true });
    await owner.patch(`/repos/${name}`, { description: 'Things', homepage: 'https://x.test' });
    const tip = await commitFiles(forge, name, 'main', { a: '1' });
    const response = await forker.post(`/repos/${name}/forks`);
    assert.equal(response.status, 202, response.text);
    assert.equal(response.headers['etag'], undefined);
    const fork = response.body;
    assert.equal(fork.full_name, `forker/${name.split('/')[1]}`);
    assert.deepEqual([fork.fork, fork.private, fork.permissions.admin], [true, false, true]);
    assert.deepEqual([fork.parent.full_name, fork.source.full_name], [name, name]);
    assert.deepEqual([fork.description, fork.homepage], ['Things', 'https://x.test']);
    assert.deepEqual([fork.has_issues, fork.default_branch], [false, 'main']);
    const git = forge.git.repository(fork.id);
    assert.equal(await git.resolveCommit('main'), tip);
    const source = (await owner.get(`/repos/${name}`)).body;
    assert.deepEqual([source.forks_count, source.network_count], [1, 1]);
    await commitFiles(forge, fork.full_name, 'main', { b: '2' });
    assert.equal(await forge.git.repository(source.id).resolveCommit('main'), tip);
  });

  test('forking again answers with the fork that is there', async () => {
    const name = await forge.repository(owner, { init: true });
    const responses = await Promise.all([
      forker.post(`/repos/${name}/forks`),
      forker.post(`/repos/${name}/forks`),
    ]);
    const third = await forker.post(`/repos/${name}/forks`);
    assert.deepEqual(
      [...responses, third].map((response) => [response.status, response.body.id]),
      Array.from({ length: 3 }, () => [202, third.body.id]),
    );
    assert.equal((await owner.get(`/repos/${name}/forks`)).body.length, 1);
  });

  test('a name that is taken gets a number', async () => {
    const name = await forge.repository(owner, { name: 'popular', init: true });
    await forge.repository(forker, { name: 'Popular' });
    const response = await forker.post(`/repos/${name}/forks`);
    assert.equal(response.body.name, 'popular-1');
  });

  test('a fork into an organization needs a membership; the member administers it', async () => {
    const name = await forge.repository(owner, { init: true });
    const boss = await forge.user();
    const organization = await forge.organization(boss);
    const path = `/repos/${name}/forks`;
    const unknown = await forker.post(path, { organization: 'nobody' });
    assert.equal(unknown.status, 422);
    assert.equal((await forker.post(path, { organization: owner.login })).status, 422);
    assert.equal((await forker.post(path, { organization: organization.login })).status, 403);
    await boss.put(`/orgs/${organization.login}/memberships/forker`, { role: 'member' });
    const response = await forker.post(path, { organization: organization.login });
    assert.equal(response.status, 202, response.text);
    assert.equal(response.body.organization.login, organization.login);
    const seen = await forker.get(`/repos/${response.body.full_name}`);
    assert.equal(seen.body.permissions.admin, true);
  });

  test('a fork of a private repository is private, and listed only to those who may read it', async () => {
    const name = await forge.repository(owner, { init: true, private: true });
    await owner.put(`/repos/${name}/collaborators/forker`, { permission: 'pull' });
    const [invitation] = (await forker.get('/user/repository_invitations')).body;
    await forker.patch(`/user/repository_invitations/${invitation.id}`);
    const response = await forker.post(`/repos/${name}/forks`);
    assert.equal(response.status, 202, response.text);
    assert.equal(response.body.private, true);
    assert.equal((await forker.get(`/repos/${name}/forks`)).body.length, 1);
    assert.equal((await owner.get(`/repos/${name}/forks`)).body.length, 0);
    await owner.delete(`/repos/${name}/collaborators/forker`);
    const alone = await forker.get(`/repos/${response.body.full_name}`);
    assert.deepEqual([alone.status, alone.body.fork, alone.body.parent], [200, true, undefined]);
  });

  test('forks are listed newest first, or oldest first, in pages', async () => {
    const name = await forge.repository(owner, { init: true });
    const created: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const user = await forge.user();
      created.push((await user.post(`/repos/${name}/forks`)).body.full_name);
      forge.clock.advance(1000);
    }
    const newest = await forge.anonymous.get(`/repos/${name}/forks?per_page=2`);
    assert.deepEqual(names(newest.body), [created[2], created[1]]);
    assert.match(
      newest.headers['link'] ?? '',
      /\/repositories\/\d+\/forks\?per_page=2&page=2>; rel="next"/,
    );
    const oldest = await forge.anonymous.get(`/repos/${name}/forks?sort=oldest`);
    assert.deepEqual(names(oldest.body), created);
  });

  test('a pull counts the forks of the network, as the repository does', async () => {
    const author = await forge.user();
    const pull = await openForkPull(forge, owner, author);
    await forker.post(`/repos/${pull.name}/forks`);
    const { head, base } = (await owner.get(pull.path)).body;
    const fork = (await owner.get(`/repos/${pull.fork}`)).body;
    assert.deepEqual([head.repo.network_count, base.repo.network_count], [2, 2]);
    assert.equal(fork.network_count, 2);
  });

  test('the visibility of a fork cannot be changed, and a source that changes it leaves its forks', async () => {
    const name = await forge.repository(owner, { init: true });
    const fork = (await forker.post(`/repos/${name}/forks`)).body;
    const refused = await forker.patch(`/repos/${fork.full_name}`, { private: true });
    assert.equal(refused.status, 422);
    assert.match(refused.body.errors[0].message, /visibility of a fork/);
    const main = await forge.git.repository(fork.id).resolveCommit('main');
    await commitFiles(forge, fork.full_name, 'topic', { a: '1' }, { parents: [main ?? ''] });
    const pull = await forker.post(`/repos/${name}/pulls`, {
      title: 't',
      head: 'forker:topic',
      base: 'main',
    });
    assert.equal(pull.status, 201, pull.text);
    await forge.ports.background.idle();
    assert.equal((await owner.patch(`/repos/${name}`, { private: true })).status, 200);
    const left = (await forker.get(`/repos/${fork.full_name}`)).body;
    assert.deepEqual([left.fork, left.parent, left.network_count], [false, undefined, 0]);
    const closed = (await owner.get(`/repos/${name}/pulls/${pull.body.number}`)).body;
    assert.deepEqual([closed.state, closed.head.repo], ['closed', null]);
    assert.equal((await owner.get(`/repos/${name}`)).body.forks_count, 0);
  });

  test('a fork that was cut short is removed at the next start, and its name is free again', async () => {
    const name = await forge.repository(owner, { init: true });
    const id = await repositoryId(forge, name);
    const source = (await forge.database.read((sql) => repositoriesById(sql, [id]))).get(id);
    assert.ok(source);
    // A crash: nothing tries it again.
    const background = { ...forge.ports.background, run: () => {} };
    const git = { ...forge.git, fork: crash, remove: crash };
    const ports = { ...forge.ports, background, git };
    const input = {
      source,
      owner: forker.account,
      creator: forker.account,
      now: forge.clock.now(),
    };
    await assert.rejects(forkRepository(ports, input), /the power went/);
    assert.equal((await forker.get(`/repos/forker/${source.name}`)).status, 404);
    assert.equal((await reconcile(forge.ports)).repositories, 1);
    assert.equal((await forker.post(`/repos/${name}/forks`)).body.name, source.name);
  });
});
