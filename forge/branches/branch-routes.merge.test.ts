import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('merging branches', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;
  let name: string;
  let root: string;
  let main: string;
  let topic: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
  });
  after(() => forge.close());

  beforeEach(async () => {
    name = await forge.repository(owner);
    root = await commitFiles(forge, name, 'main', { a: '1\n', b: '1\n' });
    main = await commitFiles(forge, name, 'main', { a: '2\n' });
    topic = await commitFiles(forge, name, 'topic/x', { b: '2\n' }, { parents: [root] });
    await commitFiles(forge, name, 'clash', { a: '3\n' }, { parents: [root] });
  });

  const merge = (body: object, who: Pick<TestUser, 'post'> = owner) =>
    who.post(`/repos/${name}/merges`, body);

  test('only users who may push can merge branches', async () => {
    const body = { base: 'main', head: 'topic/x' };
    assert.equal((await merge(body, outsider)).status, 404);
    assert.equal((await merge(body, forge.anonymous)).status, 404);
    const missing = await merge({});
    assert.equal(missing.body.message, 'Validation Failed');
    assert.deepEqual(
      missing.body.errors.map((error: { field: string; code: string }) => [
        error.field,
        error.code,
      ]),
      [
        ['base', 'missing_field'],
        ['head', 'missing_field'],
      ],
    );
  });

  test('what is not there is not merged', async () => {
    for (const base of ['absent', root, '-x', 'a..b', '']) {
      const response = await merge({ base, head: 'topic/x' });
      assert.equal(response.status, 404, base);
      assert.equal(response.body.message, 'Base does not exist');
    }
    for (const head of ['absent', '1'.repeat(40), '-x', 'main..topic/x', '']) {
      const response = await merge({ base: 'main', head });
      assert.equal(response.status, 404, head);
      assert.equal(response.body.message, 'Head does not exist');
    }
  });

  test('branches that conflict stay as they are', async () => {
    const response = await merge({ base: 'main', head: 'clash' });
    assert.equal(response.status, 409);
    assert.equal(response.body.message, 'Merge conflict');
    const unrelated = await commitFiles(forge, name, 'unrelated', { z: '1\n' });
    assert.equal((await merge({ base: 'main', head: unrelated })).status, 409);
    const branch = await owner.get(`/repos/${name}/branches/main`);
    assert.equal(branch.body.commit.sha, main);
  });

  test('a branch is merged into another by a commit with both as parents', async () => {
    const response = await merge({ base: 'main', head: 'topic/x' });
    assert.equal(response.status, 201, response.text);
    const { body } = response;
    assert.equal(body.commit.message, 'Merge topic/x into main');
    assert.deepEqual(
      body.parents.map((parent: { sha: string }) => parent.sha),
      [main, topic],
    );
    assert.equal(body.author.login, 'own');
    assert.equal(body.commit.committer.name, 'Hob');
    assert.equal(response.headers['location'], body.url);
    const branch = await owner.get(`/repos/${name}/branches/main`);
    assert.equal(branch.body.commit.sha, body.sha);
    assert.equal((await merge({ base: 'main', head: 'topic/x' })).status, 204);
    assert.equal((await merge({ base: 'main', head: root })).status, 204);
  });

  test('a commit is merged by its SHA, with the message given', async () => {
    const response = await merge({
      base: 'refs/heads/main',
      head: topic,
      commit_message: 'Take it',
    });
    assert.equal(response.status, 201, response.text);
    assert.equal(response.body.commit.message, 'Take it');
  });

  test('a merge into its base ends a pull as merged', async () => {
    const pull = await owner.post(`/repos/${name}/pulls`, {
      title: 'x',
      head: 'topic/x',
      base: 'main',
    });
    const merged = await merge({ base: 'main', head: 'topic/x' });
    const ended = await owner.get(`/repos/${name}/pulls/${pull.body.number}`);
    assert.equal(ended.body.merged, true);
    assert.equal(ended.body.merge_commit_sha, merged.body.sha);
  });

  test('of two merges into one branch at once, none is lost', async () => {
    const other = await commitFiles(forge, name, 'other', { c: '1\n' }, { parents: [root] });
    const responses = await Promise.all(
      ['topic/x', 'other'].map((head) => merge({ base: 'main', head })),
    );
    assert.deepEqual(
      responses.map((response) => response.status),
      [201, 201],
    );
    const compared = await owner.get(`/repos/${name}/compare/${other}...main`);
    assert.equal(compared.body.status, 'ahead');
    assert.equal((await owner.get(`/repos/${name}/compare/${topic}...main`)).body.status, 'ahead');
  });
});
