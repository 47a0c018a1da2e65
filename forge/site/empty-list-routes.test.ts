import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('what representations name and Hob does not have', () => {
  let forge: TestForge;
  let owner: TestUser;
  let stranger: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    stranger = await forge.user('stranger');
    await forge.organization(owner, 'acme');
  });
  after(() => forge.close());

  const pathOf = (url: string): string => new URL(url.replace(/\{.*$/, '')).pathname;

  test('is an empty list for those who may read the repository', async () => {
    const name = await forge.repository(owner, { private: true, init: true });
    for (const path of [`/repos/${name}/rulesets`, `/repos/${name}/rules/branches/a/b`]) {
      assert.equal((await stranger.get(path)).status, 404, path);
      const { status, body: list } = await owner.get(path);
      assert.deepEqual([status, list], [200, []], path);
    }
  });

  test('is an empty list of a user, and of the caller', async () => {
    const { body } = await owner.get('/user');
    const fields = ['followers_url', 'following_url', 'gists_url', 'starred_url'];
    for (const path of fields.map((field) => pathOf(body[field]))) {
      assert.deepEqual((await forge.anonymous.get(path)).body, [], path);
      assert.equal((await forge.anonymous.get(path.replace('own', 'none'))).status, 404, path);
    }
    for (const path of ['/user/starred', '/user/followers', '/user/following', '/gists']) {
      assert.deepEqual((await owner.get(path)).body, [], path);
      assert.equal((await forge.anonymous.get(path)).status, 401, path);
    }
    assert.deepEqual((await forge.anonymous.get('/orgs/acme/public_members')).body, []);
    assert.equal((await forge.anonymous.get('/orgs/none/public_members')).status, 404);
    assert.deepEqual((await forge.anonymous.get('/emojis')).body, {});
  });

  test('languages are counted in bytes of the default branch, without copies of other code', async () => {
    const name = await forge.repository(owner);
    assert.deepEqual((await owner.get(`/repos/${name}/languages`)).body, {});
    await commitFiles(forge, name, 'main', {
      'a.ts': '123456',
      'b.TSX': '1234',
      Makefile: 'all:\n',
      'README.md': 'text',
      'data.json': '{}',
      'node_modules/x/index.js': 'x',
      'lib/min.min.js': 'x',
      'empty.py': '',
    });
    const { body } = await owner.get(`/repos/${name}/languages`);
    assert.deepEqual(Object.entries(body), [
      ['TypeScript', 10],
      ['Makefile', 5],
    ]);
    const hidden = await forge.repository(owner, { private: true });
    assert.equal((await stranger.get(`/repos/${hidden}/languages`)).status, 404);
  });
});
