import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createForgeServer } from '../forge.ts';
import type { GitRepository } from '../git/git.ts';
import { GitError } from '../git/git-error.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { openPull, untilChecked } from '../testing/pull-fixture.ts';

describe('opening a pull', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
  });
  after(() => forge.close());

  async function repositoryWithTopic(): Promise<string> {
    const name = await forge.repository(owner);
    const base = await commitFiles(forge, name, 'main', { a: '1\n' });
    await commitFiles(forge, name, 'topic', { b: '2\n' }, { parents: [base] });
    return name;
  }

  test('an anonymous caller, and a user without access to a private repository, cannot open a pull', async () => {
    const name = await repositoryWithTopic();
    const input = { title: 'T', head: 'topic', base: 'main' };
    assert.ok(
      [401, 404].includes((await forge.anonymous.post(`/repos/${name}/pulls`, input)).status),
    );
    const hidden = await forge.repository(owner, { private: true });
    assert.equal((await outsider.post(`/repos/${hidden}/pulls`, input)).status, 404);
  });

  test('who may not push to the head may not open a pull from it', async () => {
    const name = await repositoryWithTopic();
    const input = { title: 'T', head: 'topic', base: 'main' };
    const response = await outsider.post(`/repos/${name}/pulls`, input);
    assert.equal(response.status, 403);
    assert.equal(response.body.message, 'Must have push access to the head branch.');
  });

  test('an anonymous caller gets 401 before its body is validated', async () => {
    const name = await repositoryWithTopic();
    const response = await forge.anonymous.post(`/repos/${name}/pulls`, '{');
    assert.equal(response.status, 401);
    assert.equal(response.body.message, 'Requires authentication');
  });

  test('head and base embed the repository with every additional field', async () => {
    const { response } = await openPull(forge, owner);
    for (const side of ['head', 'base']) {
      const { repo } = response.body[side];
      assert.deepEqual(
        [repo.permissions.admin, repo.permissions.push, repo.permissions.pull],
        [true, true, true],
      );
      for (const field of [
        'clone_url',
        'hooks_url',
        'mirror_url',
        'svn_url',
        'homepage',
        'language',
        'subscribers_count',
        'network_count',
        'template_repository',
        'temp_clone_token',
        'allow_rebase_merge',
        'allow_squash_merge',
        'allow_merge_commit',
        'delete_branch_on_merge',
        'topics',
        'visibility',
      ]) {
        assert.ok(field in repo, `${side} ${field}`);
      }
    }
    const seen = await outsider.get(
      response.headers['location']?.replace('http://forge.test', '') ?? '',
    );
    assert.equal(seen.body.base.repo.permissions.push, false);
  });

  test('a body that is no JSON object is refused', async () => {
    const name = await repositoryWithTopic();
    const broken = await owner.post(`/repos/${name}/pulls`, '{');
    assert.equal(broken.status, 400);
    assert.equal(broken.body.message, 'Problems parsing JSON');
    for (const body of ['[]', '"x"']) {
      const response = await owner.post(`/repos/${name}/pulls`, body);
      assert.equal(response.status, 400);
      assert.equal(response.body.message, 'Body should be a JSON object');
    }
  });

  test('missing and mistyped fields are named in the service’s own grammar', async () => {
    const name = await repositoryWithTopic();
    const path = `/repos/${name}/pulls`;
    const both = await owner.post(path, { title: 'T' });
    assert.equal(both.status, 422);
    assert.equal(both.body.message, 'Validation Failed');
    const missing = (field: string): object => ({
      resource: 'PullRequest',
      field,
      code: 'missing_field',
      message: `"${field}" wasn't supplied.`,
    });
    assert.deepEqual(both.body.errors, [missing('base'), missing('head')]);
    const one = await owner.post(path, { title: 'T', head: 'topic' });
    assert.deepEqual(one.body.errors, [missing('base')]);
    const untitled = { ...missing('title'), resource: 'Issue' };
    const none = await owner.post(path, {});
    assert.deepEqual(none.body.errors, [missing('base'), missing('head'), untitled]);
    const noTitle = await owner.post(path, {
      title: null,
      issue: null,
      head: 'topic',
      base: 'main',
    });
    assert.deepEqual(noTitle.body.errors, [untitled]);
    // An issue has a title.
    const ofIssue = await owner.post(path, { issue: 1 });
    assert.deepEqual(ofIssue.body.errors, [missing('base'), missing('head')]);
    const typed = await owner.post(path, { title: 123, head: 'topic', base: 'main' });
    assert.equal(typed.body.message, 'Validation Failed');
    assert.deepEqual(typed.body.errors, [
      {
        resource: 'PullRequest',
        field: 'title',
        code: 'invalid',
        message: "For 'properties/title', 123 is not a string.",
      },
    ]);
  });

  test('unknown branches are named, base before head', async () => {
    const name = await repositoryWithTopic();
    const response = await owner.post(`/repos/${name}/pulls`, { title: 'T', head: 'x', base: 'y' });
    assert.equal(response.status, 422);
    assert.equal(response.body.message, 'Validation Failed');
    assert.deepEqual(response.body.errors, [
      { resource: 'PullRequest', field: 'base', code: 'invalid' },
      { resource: 'PullRequest', field: 'head', code: 'invalid' },
    ]);
    for (const head of [
      '-x',
      '--upload-pack=x',
      '../x',
      'a b',
      'nobody:topic',
      'own:',
      'refs/pull/1/head',
    ]) {
      const odd = await owner.post(`/repos/${name}/pulls`, { title: 'T', head, base: 'main' });
      assert.equal(odd.status, 422, head);
      assert.deepEqual(odd.body.errors, [
        { resource: 'PullRequest', field: 'head', code: 'invalid' },
      ]);
    }
  });

  test('a head without commits of its own is refused', async () => {
    const name = await repositoryWithTopic();
    const response = await owner.post(`/repos/${name}/pulls`, {
      title: 'T',
      head: 'main',
      base: 'topic',
    });
    assert.deepEqual(response.body.errors, [
      { resource: 'PullRequest', code: 'custom', message: 'No commits between topic and main' },
    ]);
  });

  test('unrelated histories are refused', async () => {
    const name = await repositoryWithTopic();
    await commitFiles(forge, name, 'alien', { z: '9\n' }, { parents: [] });
    const response = await owner.post(`/repos/${name}/pulls`, {
      title: 'T',
      head: 'alien',
      base: 'main',
    });
    assert.match(response.body.errors[0].message, /no history in common/);
  });

  test('texts that are too long are refused, at the limit they are not', async () => {
    const name = await repositoryWithTopic();
    const input = { title: 't', head: 'topic', base: 'main' };
    const long = await owner.post(`/repos/${name}/pulls`, { ...input, title: 't'.repeat(257) });
    assert.match(long.body.errors[0].message, /maximum is 256 characters/);
    const body = await owner.post(`/repos/${name}/pulls`, { ...input, body: 'b'.repeat(65_537) });
    assert.match(body.body.errors[0].message, /maximum is 65536 characters/);
    const fits = { ...input, title: 't'.repeat(256), body: 'b'.repeat(65_536) };
    assert.equal((await owner.post(`/repos/${name}/pulls`, fits)).status, 201);
  });

  test('a new pull has its size, its URLs and unknown mergeability', async () => {
    const { response, name, head, base } = await openPull(forge, owner, {
      body: { maintainer_can_modify: true },
    });
    const pull = response.body;
    assert.equal(response.headers['location'], pull.url);
    assert.match(response.headers['etag'] ?? '', /^"[0-9a-f]{64}"$/);
    assert.equal(pull.url, `http://forge.test/api/v3/repos/${name}/pulls/1`);
    assert.equal(pull.mergeable, null);
    assert.equal(pull.rebaseable, null);
    assert.equal(pull.mergeable_state, 'unknown');
    assert.equal(pull.merge_commit_sha, null);
    assert.deepEqual(
      [pull.commits, pull.additions, pull.deletions, pull.changed_files],
      [1, 1, 0, 1],
    );
    assert.equal(pull.maintainer_can_modify, false);
    assert.equal(pull.body, null);
    assert.equal(pull.head.label, 'own:topic');
    assert.deepEqual([pull.head.sha, pull.base.sha], [head, base]);
    assert.equal(pull.author_association, 'OWNER');
    assert.equal(pull.statuses_url.endsWith(`/statuses/${head}`), true);
  });

  test('soon after, the test merge is there, and is a commit of base and head', async () => {
    const { path, name, base, head } = await openPull(forge, owner);
    const pull = (await untilChecked(forge, owner, path)).body;
    assert.equal(pull.mergeable, true);
    assert.equal(pull.rebaseable, true);
    assert.equal(pull.mergeable_state, 'clean');
    assert.match(pull.merge_commit_sha, /^[0-9a-f]{40}$/);
    const repository = forge.git.repository(pull.base.repo.id);
    const commit = await repository.readCommit(pull.merge_commit_sha);
    assert.deepEqual(commit?.parents, [base, head], name);
    const fetched = await owner.get(`/repos/${name}/commits/${pull.merge_commit_sha}`);
    assert.deepEqual(
      fetched.body.parents.map((parent: { sha: string }) => parent.sha),
      [base, head],
    );
  });

  test('a conflict is reported', async () => {
    const { path, name, base } = await openPull(forge, owner, {
      files: { 'README.md': 'ONE\ntwo\nthree\n' },
    });
    await commitFiles(
      forge,
      name,
      'main',
      { 'README.md': 'uno\ntwo\nthree\n' },
      { parents: [base] },
    );
    const pull = (await untilChecked(forge, owner, path)).body;
    assert.equal(pull.mergeable, false);
    assert.equal(pull.rebaseable, false);
    assert.equal(pull.mergeable_state, 'dirty');
  });

  test('a head may be named by branch, by full ref and with its owner', async () => {
    for (const head of ['topic', 'refs/heads/topic', 'own:topic', 'OWN:topic']) {
      const name = await repositoryWithTopic();
      const response = await owner.post(`/repos/${name}/pulls`, {
        title: 'T',
        head,
        base: 'refs/heads/main',
      });
      assert.equal(response.status, 201, head);
      assert.equal(response.body.head.label, 'own:topic');
      assert.equal(response.body.base.ref, 'main');
    }
  });

  test('only one open pull per head and base; closing it allows another', async () => {
    const { name, path } = await openPull(forge, owner);
    const input = { title: 'Again', head: 'topic', base: 'main' };
    const twice = await owner.post(`/repos/${name}/pulls`, input);
    assert.equal(twice.status, 422);
    assert.deepEqual(twice.body.errors, [
      {
        resource: 'PullRequest',
        code: 'custom',
        message: 'A pull request already exists for own:topic.',
      },
    ]);
    assert.equal((await owner.patch(path, { state: 'closed' })).status, 200);
    assert.equal((await owner.post(`/repos/${name}/pulls`, input)).status, 201);
  });

  test('of many concurrent equal requests one succeeds', async () => {
    const name = await repositoryWithTopic();
    const input = { title: 'T', head: 'topic', base: 'main' };
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => owner.post(`/repos/${name}/pulls`, input)),
    );
    assert.deepEqual(
      responses.map((response) => response.status).toSorted(),
      [201, 422, 422, 422, 422, 422],
    );
  });

  test('a draft says so and cannot be merged', async () => {
    const { path } = await openPull(forge, owner, { body: { draft: true } });
    assert.equal((await untilChecked(forge, owner, path)).body.mergeable_state, 'draft');
    const response = await owner.put(`${path}/merge`);
    assert.equal(response.status, 405);
    assert.equal(response.body.message, 'Pull Request is still a draft');
  });

  test('a pull whose changes are too many to count is opened, followed and merged; its diff is refused', async () => {
    const name = await forge.repository(owner);
    const parents = [await commitFiles(forge, name, 'main', { a: '1\n' })];
    await commitFiles(forge, name, 'topic', { b: '2\n' }, { parents });
    const id = await repositoryId(forge, name);
    // As git answers for a tree of thousands of millions of files, which takes it many seconds.
    const limited = (): never => {
      throw new GitError('diff-limit', 'The diff took too long.');
    };
    const repository = (one: number): GitRepository => {
      const real = forge.git.repository(one);
      return one === id ? { ...real, diffStat: limited, diffText: limited } : real;
    };
    const ports = { ...forge.ports, git: { ...forge.git, repository } };
    const server = await createForgeServer(ports);
    const send = (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object, accept = '*/*') =>
      server.inject({
        method,
        url,
        headers: { authorization: `token ${owner.token}`, 'user-agent': 'hob-test', accept },
        ...(payload && { payload }),
      });
    try {
      const input = { title: 'T', head: 'topic', base: 'main' };
      const opened = await send('POST', `/repos/${name}/pulls`, input);
      assert.equal(opened.statusCode, 201, opened.body);
      const { commits, changed_files: files, additions, deletions } = opened.json();
      assert.deepEqual([commits, files, additions, deletions], [1, 0, 0, 0]);
      const path = `/repos/${name}/pulls/1`;
      const diff = await send('GET', path, undefined, 'application/vnd.github.diff');
      assert.equal(diff.statusCode, 406);
      const file = { message: 'Add', content: 'eA==', branch: 'topic' };
      const pushed = await send('PUT', `/repos/${name}/contents/more`, file);
      assert.equal(pushed.statusCode, 201, pushed.body);
      const pull = (await send('GET', path)).json();
      assert.deepEqual([pull.head.sha, pull.commits], [pushed.json().commit.sha, 2]);
      assert.equal((await send('PUT', `${path}/merge`, {})).statusCode, 200);
      await forge.ports.background.idle();
    } finally {
      await server.close();
    }
  });

  test('a branch whose name begins like a ref is itself', async () => {
    const name = await repositoryWithTopic();
    const named = 'refs/heads/main';
    const { body: base } = await owner.get(`/repos/${name}/branches/main`);
    const parents = [base.commit.sha];
    const main = await commitFiles(forge, name, named, { c: '3\n' }, { parents });
    const path = `/repos/${name}/pulls`;
    const into = await owner.post(path, { title: 'T', head: 'topic', base: named });
    assert.equal(into.status, 201, into.text);
    assert.deepEqual([into.body.base.ref, into.body.base.sha], [named, main]);
    const from = await owner.post(path, { title: 'T', head: named, base: 'topic' });
    assert.deepEqual([from.body.head.ref, from.body.head.sha], [named, main]);
    const other = await owner.post(path, { title: 'T', head: 'topic', base: 'main' });
    assert.equal(other.body.base.ref, 'main');
    const listed = async (branch: string): Promise<number[]> =>
      (await owner.get(`${path}?base=${encodeURIComponent(branch)}`)).body.map(
        (pull: any) => pull.number,
      );
    assert.deepEqual(await listed(named), [into.body.number]);
    assert.deepEqual(await listed('main'), [other.body.number]);
  });

  test('a full ref name is the branch that it names where no branch is called so', async () => {
    const name = await repositoryWithTopic();
    const path = `/repos/${name}/pulls`;
    const input = { title: 'T', head: 'own:refs/heads/topic', base: 'refs/heads/main' };
    const { body } = await owner.post(path, input);
    assert.deepEqual([body.head.ref, body.base.ref], ['topic', 'main']);
    const listed = await owner.get(`${path}?base=refs/heads/main`);
    assert.equal(listed.body.length, 1);
  });
});
