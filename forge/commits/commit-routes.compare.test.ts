import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('comparisons', () => {
  let forge: TestForge;
  let owner: TestUser;
  let forker: TestUser;
  let outsider: TestUser;
  let name: string;
  let root: string;
  let main: string;
  let topic: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    forker = await forge.user('forker');
    outsider = await forge.user('stranger');
    name = await forge.repository(owner, { name: 'tools' });
    root = await commitFiles(forge, name, 'main', { a: '1\n' });
    main = await commitFiles(forge, name, 'main', { a: '2\n' });
    await commitFiles(forge, name, 'topic/x', { b: '1\n' }, { parents: [root], message: 'first' });
    topic = await commitFiles(forge, name, 'topic/x', { b: '2\n' }, { message: 'second' });
  });
  after(() => forge.close());

  async function summary(range: string): Promise<unknown[]> {
    const { body } = await compare(range);
    return [body.status, body.ahead_by, body.behind_by, body.files.length];
  }

  const compare = (range: string, who: Pick<TestUser, 'get'> = owner, accept?: string) =>
    who.get(`/repos/${name}/compare/${range}`, accept === undefined ? {} : { accept });

  test('a comparison with something that is not there is not found', async () => {
    for (const range of [
      'main...absent',
      'absent...main',
      'main',
      'main..topic/x',
      '...main',
      'main...',
      '...',
      'nobody:main...main',
      'main...stranger:main',
      ':main...main',
      'own:...main',
      '--all...main',
      'main...main%00',
      '%2e%2e...main',
    ]) {
      const response = await compare(range);
      assert.equal(response.status, 404, `${range}: ${response.text.slice(0, 200)}`);
    }
  });

  test('histories without a common commit are not compared', async () => {
    await commitFiles(forge, name, 'unrelated', { z: '1\n' });
    const response = await compare('main...unrelated');
    assert.equal(response.status, 404);
    assert.match(response.body.message, /No common ancestor/);
  });

  test('branches that parted are diverged, each side counted', async () => {
    const { body, status, text } = await compare('main...topic/x');
    assert.equal(status, 200, text);
    assert.equal(body.status, 'diverged');
    assert.equal(body.ahead_by, 2);
    assert.equal(body.behind_by, 1);
    assert.equal(body.total_commits, 2);
    assert.equal(body.base_commit.sha, main);
    assert.equal(body.merge_base_commit.sha, root);
    assert.deepEqual(
      body.commits.map((each: { commit: { message: string } }) => each.commit.message),
      ['first', 'second'],
    );
    assert.deepEqual(
      body.files.map((file: { filename: string; patch: string }) => [file.filename, file.patch]),
      [['b', '@@ -0,0 +1 @@\n+2']],
    );
    assert.equal(body.url, `http://forge.test/api/v3/repos/${name}/compare/main...topic/x`);
    assert.equal(body.diff_url, `http://forge.test/${name}/compare/main...topic/x.diff`);
    assert.equal(
      decodeURIComponent(body.permalink_url),
      `http://forge.test/${name}/compare/own:${main}...own:${topic}`,
    );
  });

  test('ahead, behind and identical are distinguished', async () => {
    assert.deepEqual(await summary(`${root}...main`), ['ahead', 1, 0, 1]);
    assert.deepEqual(await summary(`main...${root.slice(0, 10)}`), ['behind', 0, 1, 0]);
    assert.deepEqual(await summary('main...main'), ['identical', 0, 0, 0]);
    assert.deepEqual(await summary('own:main...OWN:main'), ['identical', 0, 0, 0]);
  });

  test('a comparison comes as a diff since the branches parted, and as patches', async () => {
    const diff = await compare('main...topic/x', owner, 'application/vnd.github.v3.diff');
    assert.equal(diff.headers['content-type'], 'application/vnd.github.v3.diff; charset=utf-8');
    assert.match(diff.text, /^diff --git a\/b b\/b\nnew file mode/);
    assert.doesNotMatch(diff.text, /a\/a/);
    const patch = await compare('main...topic%2Fx', owner, 'application/vnd.github.v3.patch');
    assert.match(patch.text, /Subject: \[PATCH 1\/2\] first/);
    assert.match(patch.text, /Subject: \[PATCH 2\/2\] second/);
  });

  test('a comparison shows its commits on pages, and its files on the first', async () => {
    const first = await compare('main...topic/x?per_page=1');
    assert.equal(first.body.commits[0].commit.message, 'first');
    assert.equal(first.body.files.length, 1);
    assert.match(first.headers['link'] ?? '', /page=2>; rel="next"/);
    const second = await compare('main...topic/x?per_page=1&page=2');
    assert.equal(second.body.commits[0].commit.message, 'second');
    assert.deepEqual(second.body.files, []);
    assert.equal(second.body.total_commits, 2);
  });

  test('a branch of a fork is compared across the network, from either side', async () => {
    const fork = (await forker.post(`/repos/${name}/forks`)).body.full_name;
    const sha = await commitFiles(forge, fork, 'theirs', { c: '1\n' }, { parents: [main] });
    const { body } = await compare('main...forker:theirs', forge.anonymous);
    assert.equal(body.status, 'ahead');
    assert.deepEqual(
      body.commits.map((each: { sha: string }) => each.sha),
      [sha],
    );
    const back = await forker.get(`/repos/${fork}/compare/theirs...own:main`);
    assert.equal(back.body.status, 'behind');
    const third = await forker.get(`/repos/${fork}/compare/own:main...theirs`);
    assert.equal(third.body.ahead_by, 1);
  });

  test('a private fork is not compared with another repository: its objects would be readable there by id', async () => {
    const source = await forge.repository(owner, { private: true });
    const tip = await commitFiles(forge, source, 'main', { a: '1\n' });
    await owner.put(`/repos/${source}/collaborators/${forker.login}`, { permission: 'pull' });
    const [invitation] = (await forker.get('/user/repository_invitations')).body;
    await forker.patch(`/user/repository_invitations/${invitation.id}`);
    await owner.put(`/repos/${source}/collaborators/${outsider.login}`, { permission: 'pull' });
    const [other] = (await outsider.get('/user/repository_invitations')).body;
    await outsider.patch(`/user/repository_invitations/${other.id}`);
    const fork = (await forker.post(`/repos/${source}/forks`)).body.full_name;
    await commitFiles(forge, fork, 'secret', { s: '1\n' }, { parents: [tip] });
    const path = `/repos/${source}/compare/main...forker:secret`;
    assert.equal((await outsider.get(path)).status, 404);
    assert.equal((await forker.get(path)).status, 404);
    assert.equal((await forker.get(`/repos/${fork}/compare/main...secret`)).body.ahead_by, 1);
  });
});
