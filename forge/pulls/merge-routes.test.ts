import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Commit } from '../git/git.ts';
import { parseObjectId } from '../git/names.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { openPull, untilChecked } from '../testing/pull-fixture.ts';

describe('merging a pull', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
  });
  after(() => forge.close());

  async function commitOf(name: string, sha: string): Promise<Commit> {
    const id = parseObjectId(sha);
    assert.ok(id, `${sha} is no SHA`);
    const commit = await forge.git.repository(await repositoryId(forge, name)).readCommit(id);
    assert.ok(commit, `${sha} is not in ${name}`);
    return commit;
  }

  async function tipOf(name: string, branch: string): Promise<string | undefined> {
    return forge.git.repository(await repositoryId(forge, name)).resolveCommit(`heads/${branch}`);
  }

  test('who may not push may not merge', async () => {
    const { path } = await openPull(forge, owner);
    assert.ok([401, 404].includes((await forge.anonymous.put(`${path}/merge`)).status));
    assert.equal((await outsider.put(`${path}/merge`)).status, 404);
    assert.equal((await owner.get(path)).body.merged, false);
  });

  test('an unknown method, an unknown pull and a broken body are refused', async () => {
    const { path, name } = await openPull(forge, owner);
    const method = await owner.put(`${path}/merge`, { merge_method: 'foo' });
    assert.equal(method.status, 422);
    assert.match(
      method.body.errors[0].message,
      /foo is not a member of \["merge", "squash", "rebase"\]\./,
    );
    assert.equal((await owner.put(`/repos/${name}/pulls/99/merge`)).status, 404);
    assert.equal((await owner.put(`${path}/merge`, '{')).status, 400);
  });

  test('a head other than `sha` is a conflict', async () => {
    const { path, base } = await openPull(forge, owner);
    for (const sha of [base, 'nonsense']) {
      const response = await owner.put(`${path}/merge`, { sha });
      assert.equal(response.status, 409);
      assert.equal(
        response.body.message,
        'Head branch was modified. Review and try the merge again.',
      );
    }
  });

  test('a conflicting pull is not merged and nothing moves', async () => {
    const { path, name, base } = await openPull(forge, owner, {
      files: { 'README.md': 'ONE\ntwo\nthree\n' },
    });
    const moved = await commitFiles(
      forge,
      name,
      'main',
      { 'README.md': 'uno\n' },
      { parents: [base] },
    );
    for (const merge_method of ['merge', 'squash']) {
      const response = await owner.put(`${path}/merge`, { merge_method });
      assert.equal(response.status, 405);
      assert.equal(response.body.message, 'Pull Request is not mergeable');
    }
    assert.equal(await tipOf(name, 'main'), moved);
  });

  test('a merge is in git, in the pull and in the merge check', async () => {
    const { path, name, base, head } = await openPull(forge, owner);
    assert.equal((await owner.get(`${path}/merge`)).status, 404);
    forge.clock.advance(60_000);
    const response = await owner.put(`${path}/merge`, { sha: head });
    assert.equal(response.status, 200, response.text);
    assert.deepEqual(Object.keys(response.body).toSorted(), ['merged', 'message', 'sha']);
    assert.equal(response.body.message, 'Pull Request successfully merged');
    const commit = await commitOf(name, response.body.sha);
    assert.deepEqual(commit.parents, [base, head]);
    assert.equal(commit.message, 'Merge pull request #1 from own/topic\n\nAdd a file');
    assert.equal(await tipOf(name, 'main'), response.body.sha);

    const pull = (await owner.get(path)).body;
    assert.equal(pull.state, 'closed');
    assert.equal(pull.merged, true);
    assert.equal(pull.merged_at, pull.closed_at);
    assert.equal(pull.merged_by.login, 'own');
    assert.equal(pull.merge_commit_sha, response.body.sha);
    assert.equal(pull.mergeable, null);
    assert.equal(pull.commits, 1);
    assert.equal((await owner.get(`${path}/merge`)).status, 204);
    assert.equal((await owner.get(`${path}/files`)).body.length, 1);
    assert.equal((await owner.get(`${path}/commits`)).body.length, 1);
    assert.equal((await owner.get(`/repos/${name}/pulls`)).body.length, 0);
    assert.equal((await owner.get(`/repos/${name}/pulls?state=closed`)).body.length, 1);
    assert.equal((await owner.get(`/repos/${name}`)).body.open_issues_count, 0);
  });

  test('a merged or closed pull is not merged again', async () => {
    const { path } = await openPull(forge, owner);
    await owner.patch(path, { state: 'closed' });
    assert.equal((await owner.put(`${path}/merge`)).status, 405);
    await owner.patch(path, { state: 'open' });
    assert.equal((await owner.put(`${path}/merge`)).status, 200);
    const again = await owner.put(`${path}/merge`);
    assert.equal(again.status, 405);
    assert.equal(again.body.message, 'Pull Request is not mergeable');
  });

  test('the caller’s title and message replace the generated ones', async () => {
    const { path, name } = await openPull(forge, owner);
    const response = await owner.put(`${path}/merge`, {
      commit_title: 'Mine',
      commit_message: 'Because.',
    });
    assert.equal((await commitOf(name, response.body.sha)).message, 'Mine\n\nBecause.');
  });

  test('a blank title leaves the generated one, an empty message leaves none', async () => {
    for (const [merge_method, message] of [
      ['merge', 'Merge pull request #1 from own/topic'],
      ['squash', 'Add a file (#1)'],
    ] as const) {
      const { path, name } = await openPull(forge, owner);
      const input = { commit_title: ' \n', commit_message: '', merge_method };
      const response = await owner.put(`${path}/merge`, input);
      assert.equal((await commitOf(name, response.body.sha)).message, message);
    }
  });

  test('a merge commit is made even where the base could be moved forward', async () => {
    const { path, name } = await openPull(forge, owner);
    const response = await owner.put(`${path}/merge`);
    assert.equal((await commitOf(name, response.body.sha)).parents.length, 2);
  });

  test('a squash is one commit by the pull’s author', async () => {
    const { path, name, base } = await openPull(forge, owner);
    await commitFiles(forge, name, 'topic', { more: 'x\n' }, { message: 'Second\n\nwith detail' });
    const response = await owner.put(`${path}/merge`, { merge_method: 'squash' });
    assert.equal(response.status, 200, response.text);
    const commit = await commitOf(name, response.body.sha);
    assert.deepEqual(commit.parents, [base]);
    assert.equal(commit.message, 'Add a file (#1)\n\n* Change new.txt\n\n* Second\n\nwith detail');
    assert.equal(commit.author.email, 'own@example.test');
    assert.notEqual(commit.committer.email, commit.author.email);
    assert.equal((await owner.get(path)).body.merge_commit_sha, response.body.sha);
  });

  test('a rebase makes each commit again on the base', async () => {
    const { path, name, base } = await openPull(forge, owner);
    await commitFiles(
      forge,
      name,
      'topic',
      { more: 'x\n' },
      {
        message: 'Second',
        author: { name: 'Ada', email: 'ada@example.test' },
      },
    );
    const onto = await commitFiles(forge, name, 'main', { other: 'y\n' }, { parents: [base] });
    const response = await owner.put(`${path}/merge`, { merge_method: 'rebase' });
    assert.equal(response.status, 200, response.text);
    const tip = await commitOf(name, response.body.sha);
    assert.equal(tip.message, 'Second');
    assert.equal(tip.author.email, 'ada@example.test');
    const first = await commitOf(name, tip.parents[0] ?? '');
    assert.deepEqual(first.parents, [onto]);
    assert.equal((await owner.get(path)).body.merge_commit_sha, response.body.sha);
  });

  test('a switched-off method is refused by name', async () => {
    const { path, name } = await openPull(forge, owner);
    await owner.patch(`/repos/${name}`, { allow_squash_merge: false, allow_merge_commit: false });
    const squash = await owner.put(`${path}/merge`, { merge_method: 'squash' });
    assert.equal(squash.status, 405);
    assert.equal(squash.body.message, 'Squash merges are not allowed on this repository.');
    const merge = await owner.put(`${path}/merge`);
    assert.equal(merge.body.message, 'Merge commits are not allowed on this repository.');
  });

  test('of two merges of one pull at once one happens', async () => {
    const { path, name } = await openPull(forge, owner);
    const responses = await Promise.all([owner.put(`${path}/merge`), owner.put(`${path}/merge`)]);
    assert.deepEqual(responses.map((response) => response.status).toSorted(), [200, 405]);
    const merged = responses.find((response) => response.status === 200);
    assert.equal(await tipOf(name, 'main'), merged?.body.sha);
  });

  test('twenty merges into one base at once all happen', async () => {
    const { name, base, path } = await openPull(forge, owner);
    const paths = [path];
    for (let number = 2; number <= 20; number += 1) {
      const branch = `b${number}`;
      await commitFiles(forge, name, branch, { [branch]: 'x\n' }, { parents: [base] });
      const opened = await owner.post(`/repos/${name}/pulls`, {
        title: branch,
        head: branch,
        base: 'main',
      });
      paths.push(`/repos/${name}/pulls/${opened.body.number}`);
    }
    const responses = await Promise.all(paths.map((one) => owner.put(`${one}/merge`)));
    assert.deepEqual(
      responses.map((response) => response.status),
      paths.map(() => 200),
    );
    const repository = forge.git.repository(await repositoryId(forge, name));
    const tip = parseObjectId((await tipOf(name, 'main')) ?? '');
    assert.ok(tip);
    const history = await repository.log({ from: tip, max: 100 });
    const merges = history.filter((commit) => commit.parents.length === 2);
    assert.deepEqual(
      merges.map((commit) => commit.id).toSorted(),
      responses.map((response) => response.body.sha).toSorted(),
    );
    for (const one of paths) assert.equal((await owner.get(one)).body.merged, true);
  });

  test('the head branch goes where the repository asks for it', async () => {
    const { path, name } = await openPull(forge, owner);
    await owner.patch(`/repos/${name}`, { delete_branch_on_merge: true });
    assert.equal((await owner.put(`${path}/merge`)).status, 200);
    assert.equal(await tipOf(name, 'topic'), undefined);
  });

  test('the zone of the request is in the commit’s dates', async () => {
    const { path, name } = await openPull(forge, owner);
    const response = await owner.send('PUT', `${path}/merge`, {
      headers: { 'time-zone': 'Asia/Kolkata' },
    });
    assert.equal((await commitOf(name, response.body.sha)).author.offsetMinutes, 330);
  });

  test('a zone that was named once is used when none is named', async () => {
    const { path, name } = await openPull(forge, owner);
    await owner.get(path, { 'time-zone': 'America/St_Johns' });
    await forge.ports.background.idle();
    const response = await owner.put(`${path}/merge`);
    const offset = (await commitOf(name, response.body.sha)).author.offsetMinutes;
    assert.ok([-210, -150].includes(offset), `${offset}`);
  });

  test('merging makes other pulls on that base uncertain until they are tested again', async () => {
    const { name, base, path } = await openPull(forge, owner);
    await commitFiles(forge, name, 'b1', { b1: 'x\n' }, { parents: [base] });
    const other = await owner.post(`/repos/${name}/pulls`, {
      title: 'o',
      head: 'b1',
      base: 'main',
    });
    const otherPath = `/repos/${name}/pulls/${other.body.number}`;
    assert.equal((await untilChecked(forge, owner, otherPath)).body.mergeable, true);
    assert.equal((await owner.put(`${path}/merge`)).status, 200);
    assert.equal((await owner.get(otherPath)).body.mergeable, null);
    assert.equal((await untilChecked(forge, owner, otherPath)).body.mergeable, true);
  });

  test('where no zone is known the dates are in UTC', async () => {
    const user = await forge.user();
    const { path, name } = await openPull(forge, user);
    const response = await user.put(`${path}/merge`);
    assert.equal((await commitOf(name, response.body.sha)).author.offsetMinutes, 0);
  });
});
