import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { present } from '#platform/present.ts';

import { branchRef, noObject, parseBranchName, parseObjectId } from '../git/names.ts';
import { changeRefs } from '../ref-updates/change-refs.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { openPull, untilChecked } from '../testing/pull-fixture.ts';

describe('editing a pull', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
  });
  after(() => forge.close());

  async function deleteBranch(name: string, branch: string): Promise<void> {
    const id = await repositoryId(forge, name);
    const parsed = parseBranchName(branch);
    assert.ok(parsed);
    const old = await forge.git.repository(id).readRef(branchRef(parsed));
    assert.ok(old);
    const refs = [{ ref: branchRef(parsed), old, new: noObject }];
    await changeRefs(forge.ports, { repositoryId: id, refs, now: forge.clock.now() });
  }

  test('other users may not edit a pull, its author may', async () => {
    const { path } = await openPull(forge, owner);
    assert.equal((await outsider.patch(path, { title: 'Mine' })).status, 404);
    assert.ok([401, 404].includes((await forge.anonymous.patch(path, { title: 'x' })).status));
    assert.equal((await owner.patch(path, { title: 'Better', body: 'Why' })).status, 200);
    const pull = (await owner.get(path)).body;
    assert.deepEqual([pull.title, pull.body], ['Better', 'Why']);
  });

  test('POST stands in for PATCH, and nothing to change changes nothing', async () => {
    const { path, response } = await openPull(forge, owner);
    assert.equal((await owner.post(path, { title: 'By post' })).body.title, 'By post');
    const unchanged = (await owner.get(path)).body;
    const edited = await owner.patch(path, {});
    assert.equal(edited.status, 200);
    assert.equal(edited.body.title, unchanged.title);
    assert.equal(edited.body.id, response.body.id);
  });

  test('wrong values are refused and change nothing', async () => {
    const { path } = await openPull(forge, owner);
    for (const [body, message] of [
      [{ state: 'merged' }, /merged is not a member of \["open", "closed"\]\./],
      [{ title: 5 }, /For 'properties\/title', 5 is not a string\./],
      [{ title: '  ' }, /missing_field/],
      [{ maintainer_can_modify: 'yes' }, /is not a boolean\./],
    ] as const) {
      const response = await owner.patch(path, body);
      assert.equal(response.status, 422, JSON.stringify(body));
      assert.equal(response.body.message, 'Validation Failed');
      const [{ code, message: sent = code }] = response.body.errors;
      assert.match(sent, message);
    }
    assert.equal((await owner.get(path)).body.title, 'Add a file');
  });

  test('an unknown base is refused by name, a known one makes the pull uncertain again', async () => {
    const { path, name, base } = await openPull(forge, owner);
    const unknown = await owner.patch(path, { base: 'zz' });
    assert.deepEqual(unknown.body.errors, [
      {
        message: "Proposed base branch 'zz' was not found",
        resource: 'PullRequest',
        field: 'base',
        code: 'invalid',
      },
    ]);
    await untilChecked(forge, owner, path);
    await commitFiles(forge, name, 'next', { other: 'x\n' }, { parents: [base] });
    const moved = await owner.patch(path, { base: 'next' });
    assert.equal(moved.status, 200, moved.text);
    assert.equal(moved.body.base.ref, 'next');
    assert.equal(moved.body.mergeable, null);
    assert.equal(moved.body.merge_commit_sha, null);
  });

  test('closing sets the time, reopening clears it', async () => {
    const { path, name } = await openPull(forge, owner);
    const closed = await owner.patch(path, { state: 'closed' });
    assert.equal(closed.body.state, 'closed');
    assert.match(closed.body.closed_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal((await owner.get(`/repos/${name}`)).body.open_issues_count, 0);
    assert.equal((await owner.patch(path, { state: 'closed' })).status, 200);
    const open = await owner.patch(path, { state: 'open' });
    assert.deepEqual([open.body.state, open.body.closed_at], ['open', null]);
    assert.equal((await owner.get(`/repos/${name}`)).body.open_issues_count, 1);
  });

  test('a reopened pull is where its branches are now', async () => {
    const { path, name } = await openPull(forge, owner);
    await owner.patch(path, { state: 'closed' });
    const tip = await commitFiles(forge, name, 'topic', { later: 'x\n' });
    assert.notEqual((await owner.get(path)).body.head.sha, tip);
    const open = await owner.patch(path, { state: 'open' });
    assert.equal(open.body.head.sha, tip);
    assert.equal(open.body.commits, 2);
  });

  test('a pull without its branch stays closed, and says which one', async () => {
    const { path, name } = await openPull(forge, owner);
    await deleteBranch(name, 'topic');
    assert.equal((await owner.get(path)).body.state, 'closed');
    const response = await owner.patch(path, { state: 'open' });
    assert.equal(response.status, 422);
    assert.equal(
      response.body.errors[0].message,
      'state cannot be changed. The topic branch has been deleted.',
    );
  });

  test('a pull whose base branch goes is closed', async () => {
    const { path, name, head } = await openPull(forge, owner);
    const id = parseObjectId(head);
    assert.ok(id);
    await deleteBranch(name, 'main');
    assert.equal((await owner.get(path)).body.state, 'closed');
  });

  test('updating the branch needs its preview, unless the server is lenient', async () => {
    const { path } = await openPull(forge, owner);
    const response = await owner.put(`${path}/update-branch`);
    assert.equal(response.status, 415);
    assert.match(response.body.message, /application\/vnd\.github\.lydian-preview\+json/);
    assert.match(response.body.message, /--previews/);
    for (const version of ['', 'v3', '2022', '2022-11-28x']) {
      const headers = { 'x-github-api-version': version };
      const undated = await owner.send('PUT', `${path}/update-branch`, { headers });
      assert.equal(undated.status, 415, version);
    }
  });

  test('a request that names a dated version needs no preview to update the branch', async () => {
    const { path, name, base } = await openPull(forge, owner);
    await commitFiles(forge, name, 'main', { other: 'x\n' }, { parents: [base] });
    const response = await owner.send('PUT', `${path}/update-branch`, {
      headers: {
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
      },
    });
    assert.equal(response.status, 202, response.text);
  });

  const lydian = { accept: 'application/vnd.github.lydian-preview+json' };

  test('the branch is updated by a merge of the base', async () => {
    const { path, name, base, head } = await openPull(forge, owner);
    const tip = await commitFiles(forge, name, 'main', { other: 'x\n' }, { parents: [base] });
    const wrong = await owner.send('PUT', `${path}/update-branch`, {
      headers: lydian,
      body: { expected_head_sha: base },
    });
    assert.equal(wrong.status, 422);
    assert.equal(wrong.body.message, 'Validation Failed');
    assert.match(
      wrong.body.errors[0].message,
      /^expected head sha didn’t match current head ref\.$/,
    );
    const forbidden = await outsider.send('PUT', `${path}/update-branch`, { headers: lydian });
    assert.ok([403, 404].includes(forbidden.status));

    const response = await owner.send('PUT', `${path}/update-branch`, {
      headers: lydian,
      body: { expected_head_sha: head.toUpperCase() },
    });
    assert.equal(response.status, 202, response.text);
    assert.equal(response.body.message, 'Updating pull request branch.');
    assert.equal(response.headers['etag'], undefined);
    const pull = (await owner.get(path)).body;
    const repository = forge.git.repository(await repositoryId(forge, name));
    const commit = await repository.readCommit(pull.head.sha);
    assert.deepEqual(commit?.parents, [head, tip]);
    assert.equal(commit?.message, "Merge branch 'main' into topic");

    const again = await owner.send('PUT', `${path}/update-branch`, { headers: lydian });
    assert.equal(again.status, 422);
    assert.equal(again.body.message, 'There are no new commits on the base branch.');
  });

  test('a conflicting update is refused', async () => {
    const { path, name, base } = await openPull(forge, owner, { files: { 'README.md': 'ONE\n' } });
    await commitFiles(forge, name, 'main', { 'README.md': 'uno\n' }, { parents: [base] });
    for (const body of [undefined, {}, 'null']) {
      const response = await owner.send('PUT', `${path}/update-branch`, {
        headers: lydian,
        ...present({ body }),
      });
      assert.equal(response.status, 422);
      assert.equal(response.body.message, 'merge conflict between base and head');
    }
  });
});
