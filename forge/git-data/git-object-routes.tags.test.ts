import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('tag objects', () => {
  let forge: TestForge;
  let owner: TestUser;
  let git: string;
  let main: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    const name = await forge.repository(owner);
    git = `/repos/${name}/git`;
    main = await commitFiles(forge, name, 'main', { 'a.txt': 'a\n' });
  });
  after(() => forge.close());

  test('a tag object is made, and named by nothing yet', async () => {
    const created = await owner.post(`${git}/tags`, {
      tag: 'v1.0',
      message: 'First\n',
      object: main,
      type: 'commit',
      tagger: { name: 'Ann', email: 'ann@example.test', date: '2020-01-01T00:00:00+01:00' },
    });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.headers['location'], created.body.url);
    assert.equal(created.body.object.sha, main);
    assert.equal(created.body.tagger.date, '2019-12-31T23:00:00Z');
    assert.deepEqual((await owner.get(`${git}/tags/${created.body.sha}`)).body, created.body);
    assert.equal((await owner.get(`${git}/ref/tags/v1.0`)).status, 404);
    const ref = await owner.post(`${git}/refs`, { ref: 'refs/tags/v1.0', sha: created.body.sha });
    assert.equal(ref.body.object.type, 'tag');
  });

  test('a tag object is not made under a name no ref could have, or of another type', async () => {
    const good = { tag: 'v2', message: 'x', object: main, type: 'commit' };
    for (const tag of ['', '-x', 'a b', 'a..b', '../x']) {
      const response = await owner.post(`${git}/tags`, { ...good, tag });
      assert.equal(response.status, 422, tag);
      assert.match(response.body.message, /is not a valid tag name/);
    }
    const other = await owner.post(`${git}/tags`, { ...good, type: 'blob' });
    assert.equal(other.body.message, 'Object does not exist or is not a blob');
    const word = await owner.post(`${git}/tags`, { ...good, type: 'branch' });
    assert.equal(word.status, 422);
  });

  test('tags are listed with the commits they finally name, last names first', async () => {
    const name = await forge.repository(owner, { init: true });
    const here = `/repos/${name}/git`;
    const sha = (await owner.get(`${here}/ref/heads/main`)).body.object.sha;
    const { tree } = (await owner.get(`${here}/commits/${sha}`)).body;
    const tag = { tag: 'v2', message: 'x', object: sha, type: 'commit' };
    const annotated = (await owner.post(`${here}/tags`, tag)).body.sha;
    for (const [ref, object] of [
      ['v1', sha],
      ['v2', annotated],
      ['of-a-tree', tree.sha],
    ]) {
      await owner.post(`${here}/refs`, { ref: `refs/tags/${ref}`, sha: object });
    }
    const response = await owner.get(`/repos/${name}/tags`);
    assert.deepEqual(
      response.body.map((each: { name: string; commit: { sha: string } }) => [
        each.name,
        each.commit.sha,
      ]),
      [
        ['v2', sha],
        ['v1', sha],
      ],
    );
    const page = await owner.get(`/repos/${name}/tags?per_page=1`);
    assert.match(page.headers['link'] ?? '', /rel="next"/);
  });
});
