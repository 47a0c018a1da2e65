import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { reconcile } from '../testing/reconcile.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { deleteRepository } from './delete-repository.ts';
import { repositoriesById } from './repository-store.ts';

describe('deleting a repository', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
  });
  after(() => forge.close());

  async function sourceWithFork(): Promise<{ source: string; fork: string }> {
    const source = await forge.repository(owner, { init: true });
    const fork = await outsider.post(`/repos/${source}/forks`);
    assert.equal(fork.status, 202, fork.text);
    return { source, fork: fork.body.full_name };
  }

  test('only administrators delete, and only with a token of that scope', async () => {
    const name = await forge.repository(owner);
    assert.equal((await forge.anonymous.delete(`/repos/${name}`)).status, 401);
    assert.equal((await outsider.delete(`/repos/${name}`)).status, 403);
    const other = await forge.withScopes(owner, ['repo']);
    const refused = await other.delete(`/repos/${name}`);
    assert.equal(refused.status, 403);
    assert.equal(refused.headers['x-accepted-oauth-scopes'], 'delete_repo');
    assert.equal(refused.body.message, 'Must have admin rights to Repository.');
    assert.equal((await owner.get(`/repos/${name}`)).status, 200);
  });

  test('a deleted repository is gone with its code, its name free and its redirects ended', async () => {
    const name = await forge.repository(owner, { name: 'first', init: true });
    const id = await repositoryId(forge, name);
    await owner.patch(`/repos/${name}`, { name: 'second' });
    const only = await forge.withScopes(owner, ['delete_repo']);
    const response = await only.delete('/repos/own/second');
    assert.equal(response.status, 204);
    assert.equal(response.text, '');
    for (const path of ['/repos/own/second', '/repos/own/first', `/repositories/${id}`]) {
      assert.equal((await owner.get(path)).status, 404, path);
    }
    await assert.rejects(forge.git.repository(id).listRefs('refs/'), {
      kind: 'missing-repository',
    });
    await forge.repository(owner, { name: 'second' });
  });

  test('an archived repository can be deleted', async () => {
    const name = await forge.repository(owner);
    await owner.patch(`/repos/${name}`, { archived: true });
    assert.equal((await owner.delete(`/repos/${name}`)).status, 204);
  });

  test('a removal that was cut short is invisible at once and finished at the next start', async () => {
    const name = await forge.repository(owner, { init: true });
    const id = await repositoryId(forge, name);
    const repository = (await forge.database.read((sql) => repositoriesById(sql, [id]))).get(id);
    assert.ok(repository);
    const git = {
      ...forge.git,
      remove: async () => {
        throw new Error('the power went');
      },
    };
    // A crash: nothing tries it again.
    const background = { ...forge.ports.background, run: () => {} };
    const ports = { background, database: forge.database, git, serverId: 'test-server' };
    await assert.rejects(
      deleteRepository(ports, repository, { actorId: 1, now: forge.clock.now() }),
      /the power went/,
    );
    assert.equal((await owner.get(`/repos/${name}`)).status, 404);
    await forge.repository(owner, { name: repository.name });
    assert.equal((await reconcile(forge.ports)).repositories, 1);
    assert.equal((await forge.database.read((sql) => repositoriesById(sql, [id]))).size, 0);
    await assert.rejects(forge.git.repository(id).listRefs('refs/'), {
      kind: 'missing-repository',
    });
  });

  test('a removal that git could not do is done as soon as it can', async () => {
    const name = await forge.repository(owner, { init: true });
    const id = await repositoryId(forge, name);
    const repository = (await forge.database.read((sql) => repositoriesById(sql, [id]))).get(id);
    assert.ok(repository);
    let attempts = 0;
    const git = {
      ...forge.git,
      async remove(removed: number) {
        attempts += 1;
        if (attempts === 1) throw new Error('git is away');
        await forge.git.remove(removed);
      },
    };
    await assert.rejects(
      deleteRepository({ ...forge.ports, git }, repository, {
        actorId: 1,
        now: forge.clock.now(),
      }),
      /git is away/,
    );
    await forge.ports.background.idle();
    assert.equal(attempts, 2);
    assert.equal((await forge.database.read((sql) => repositoriesById(sql, [id]))).size, 0);
  });

  test('when a source is deleted the oldest fork becomes the source of the others', async () => {
    const { source, fork } = await sourceWithFork();
    const third = await forge.user();
    const second = (await third.post(`/repos/${source}/forks`)).body.full_name;
    await owner.delete(`/repos/${source}`);
    const newRoot = (await outsider.get(`/repos/${fork}`)).body;
    assert.deepEqual([newRoot.fork, newRoot.parent, newRoot.forks_count], [false, undefined, 1]);
    const other = (await third.get(`/repos/${second}`)).body;
    assert.deepEqual([other.fork, other.parent.full_name], [true, fork]);
    assert.equal(other.source.full_name, fork);
  });

  test('when a fork is deleted its own forks go to its parent', async () => {
    const { source, fork } = await sourceWithFork();
    const third = await forge.user();
    const deeper = (await third.post(`/repos/${fork}/forks`)).body;
    assert.equal(deeper.parent.full_name, fork);
    await outsider.delete(`/repos/${fork}`);
    const now = (await third.get(`/repos/${deeper.full_name}`)).body;
    assert.equal(now.parent.full_name, source);
  });

  test('pulls from a deleted fork are closed and stay readable', async () => {
    const { source, fork } = await sourceWithFork();
    const main = await forge.git.repository(await repositoryId(forge, fork)).resolveCommit('main');
    await commitFiles(forge, fork, 'topic', { 'a.txt': '1\n' }, { parents: [main ?? ''] });
    const opened = await outsider.post(`/repos/${source}/pulls`, {
      title: 'From a fork',
      head: 'stranger:topic',
      base: 'main',
    });
    assert.equal(opened.status, 201, opened.text);
    assert.equal(opened.body.head.repo.fork, true);
    const path = `/repos/${source}/pulls/${opened.body.number}`;
    await forge.ports.background.idle();
    await outsider.delete(`/repos/${fork}`);
    const pull = (await owner.get(path)).body;
    assert.deepEqual(
      [pull.state, pull.head.repo, pull.head.label],
      ['closed', null, 'stranger:topic'],
    );
    assert.notEqual(pull.closed_at, null);
    assert.equal((await owner.get(`/repos/${source}`)).body.open_issues_count, 0);
    assert.equal((await owner.get(`${path}/commits`)).body.length, 1);
    assert.equal((await owner.get(`${path}/files`)).body[0].filename, 'a.txt');
    const reopened = await owner.patch(path, { state: 'open' });
    assert.equal(reopened.status, 422);
  });
});
