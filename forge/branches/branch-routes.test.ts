import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('branches', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;
  let name: string;
  let branches: string;
  let main: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
    name = await forge.repository(owner);
    branches = `/repos/${name}/branches`;
    main = await commitFiles(forge, name, 'main', { a: '1\n' });
    await commitFiles(forge, name, 'feature/ü#1', { b: '1\n' }, { parents: [main] });
  });
  after(() => forge.close());

  test('branches of a private repository are hidden from users without access', async () => {
    const hidden = await forge.repository(owner, { private: true, init: true });
    for (const tail of ['', '/main']) {
      assert.equal((await outsider.get(`/repos/${hidden}/branches${tail}`)).status, 404);
      assert.equal((await owner.get(`/repos/${hidden}/branches${tail}`)).status, 200);
    }
  });

  test('a branch that is not there is called one', async () => {
    for (const branch of [
      'absent',
      'HEAD',
      '-x',
      'a..b',
      main,
      '%00',
      'refs/heads/main',
      'feature',
    ]) {
      const response = await owner.get(`${branches}/${branch}`);
      assert.equal(response.status, 404, branch);
      assert.equal(response.body.message, 'Branch not found', branch);
    }
  });

  test('branches are listed by name, none of them protected', async () => {
    const response = await owner.get(branches);
    assert.deepEqual(
      response.body.map((branch: { name: string; protected: boolean }) => [
        branch.name,
        branch.protected,
      ]),
      [
        ['feature/ü#1', false],
        ['main', false],
      ],
    );
    assert.deepEqual(response.body[1].commit, {
      sha: main,
      url: `http://forge.test/api/v3/repos/${name}/commits/${main}`,
    });
    assert.deepEqual((await owner.get(`${branches}?protected=true`)).body, []);
    assert.equal((await owner.get(`${branches}?protected=false`)).body.length, 2);
    const page = await owner.get(`${branches}?per_page=1`);
    assert.match(page.headers['link'] ?? '', /rel="next".*rel="last"/);
  });

  test('an empty repository has no branches', async () => {
    const empty = await forge.repository(owner);
    assert.deepEqual((await owner.get(`/repos/${empty}/branches`)).body, []);
    assert.equal((await owner.get(`/repos/${empty}/branches/main`)).status, 404);
  });

  test('a branch shows its commit and where it is', async () => {
    const path = `${branches}/feature/%C3%BC%231`;
    const { body, status } = await owner.get(path);
    assert.equal(status, 200);
    assert.equal(body.name, 'feature/ü#1');
    assert.equal(body.commit.parents[0].sha, main);
    assert.equal(body['_links'].self, `http://forge.test/api/v3${path}`);
    assert.equal(body['_links'].html, `http://forge.test/${name}/tree/feature/%C3%BC%231`);
    assert.equal(body.protected, false);
    assert.deepEqual((await owner.get(path.replace('feature/', 'feature%2F'))).body, body);
  });

  test('a branch that moves is shown where it is now', async () => {
    const old = await owner.get(`${branches}/main`);
    const sha = await commitFiles(forge, name, 'main', { a: '2\n' });
    const now = await owner.get(`${branches}/main`, { 'if-none-match': old.headers['etag'] ?? '' });
    assert.equal(now.status, 200);
    assert.equal(now.body.commit.sha, sha);
  });
});
