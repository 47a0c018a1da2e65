import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import {
  startTestForge,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';

describe('merging from upstream', () => {
  let forge: TestForge;
  let owner: TestUser;
  let forker: TestUser;
  let name: string;
  let fork: string;
  let root: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    forker = await forge.user('forker');
  });
  after(() => forge.close());

  beforeEach(async () => {
    name = await forge.repository(owner);
    root = await commitFiles(forge, name, 'main', { a: '1\n', b: '1\n' });
    fork = (await forker.post(`/repos/${name}/forks`)).body.full_name;
  });

  const merge = (
    who: TestUser = forker,
    body: object = { branch: 'main' },
  ): Promise<TestResponse> => who.post(`/repos/${fork}/merge-upstream`, body);
  const tipOf = async (repository: string): Promise<string> =>
    (await forker.get(`/repos/${repository}/git/ref/heads/main`)).body.object.sha;

  test('is for those who may push to a fork whose parent they can read', async () => {
    assert.equal((await merge(owner)).status, 404);
    assert.equal((await merge(forker, {})).status, 422);
    for (const branch of ['none', '-x', 'a..b', '']) {
      assert.equal((await merge(forker, { branch })).status, 422, branch);
    }
    assert.equal(
      (await owner.post(`/repos/${name}/merge-upstream`, { branch: 'main' })).status,
      422,
    );
    await commitFiles(forge, name, 'only-there', { c: 'c' });
    assert.equal((await merge(forker, { branch: 'only-there' })).status, 422);
    await owner.delete(`/repos/${name}`);
    assert.equal((await merge()).status, 422);
  });

  /** Merges where something happens right before the objects of the parent are fetched. */
  async function mergeWhile(happens: () => Promise<unknown>): Promise<TestResponse> {
    const { git } = forge.ports;
    const repository = git.repository.bind(git);
    git.repository = (id) => {
      const real = repository(id);
      return {
        ...real,
        async fetchObjects(...input) {
          git.repository = repository;
          await happens();
          return real.fetchObjects(...input);
        },
      };
    };
    try {
      return await merge();
    } finally {
      git.repository = repository;
    }
  }

  test('is refused when the parent is withdrawn or deleted meanwhile', async () => {
    await commitFiles(forge, name, 'main', { c: 'c' }, { parents: [root] });
    const tip = await tipOf(fork);
    const hidden = await mergeWhile(() => owner.patch(`/repos/${name}`, { private: true }));
    assert.deepEqual([hidden.status, await tipOf(fork)], [422, tip], hidden.text);
    await owner.patch(`/repos/${name}`, { private: false });
    const gone = await mergeWhile(async () => {
      await owner.delete(`/repos/${name}`);
      await forge.ports.background.idle();
    });
    assert.deepEqual([gone.status, await tipOf(fork)], [422, tip], gone.text);
  });

  test('is nothing where the fork has all of it', async () => {
    const { status, body } = await merge();
    assert.deepEqual([status, body.merge_type, body.base_branch], [200, 'none', 'owner:main']);
    await commitFiles(forge, fork, 'main', { c: 'c' });
    assert.equal((await merge()).body.merge_type, 'none');
  });

  test('is a fast-forward where the fork has nothing of its own', async () => {
    const tip = await commitFiles(forge, name, 'main', { a: '2\n' });
    const { body } = await merge();
    assert.deepEqual(
      [body.merge_type, body.message],
      ['fast-forward', 'Successfully fetched and fast-forwarded from upstream owner:main.'],
    );
    assert.equal(await tipOf(fork), tip);
  });

  test('is a merge where both have commits, and refused where they clash', async () => {
    const theirs = await commitFiles(forge, name, 'main', { a: '2\n' });
    const own = await commitFiles(forge, fork, 'main', { b: '2\n' });
    assert.equal((await merge()).body.merge_type, 'merge');
    const { body } = await forker.get(`/repos/${fork}/commits/main`);
    assert.deepEqual(
      [body.commit.message, body.parents.map(({ sha }: { sha: string }) => sha)],
      ["Merge branch 'owner:main' into main", [own, theirs]],
    );
    assert.equal(body.author.login, 'forker');
    await commitFiles(forge, name, 'main', { a: '3\n' });
    const clash = await commitFiles(forge, fork, 'main', { a: '4\n' });
    const refused = await merge();
    assert.deepEqual([refused.status, refused.body.message], [409, 'There are merge conflicts']);
    assert.equal(await tipOf(fork), clash);
  });

  test('does not move a protected branch that the caller may not push to', async () => {
    await commitFiles(forge, name, 'main', { a: '2\n' });
    const rules = {
      required_status_checks: { strict: false, contexts: ['ci'] },
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: null,
    };
    await forker.put(`/repos/${fork}/branches/main/protection`, rules);
    assert.equal((await merge()).status, 422);
    assert.equal(await tipOf(fork), root);
  });
});
