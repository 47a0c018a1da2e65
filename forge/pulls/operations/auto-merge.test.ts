import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { repositoriesById } from '../../repositories/repository-store.ts';
import { commitFiles, repositoryId } from '../../testing/commits.ts';
import { type OpenedPull, openPull, untilChecked } from '../../testing/pull-fixture.ts';
import { createTestApp } from '../../testing/test-app.ts';
import { startTestForge, type TestForge, type TestUser } from '../../testing/test-forge.ts';
import { findPull } from '../pull-store.ts';
import { startAutoMerges } from './auto-merge-worker.ts';
import { mergePull } from './merge-pull.ts';

describe('auto-merge', () => {
  let forge: TestForge;
  let owner: TestUser;
  let writer: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    writer = await forge.user('writer');
  });
  after(() => forge.close());

  /** As the start of a server does. */
  const mergeDue = async (): Promise<void> => {
    const stop = startAutoMerges(forge.ports);
    await forge.ports.background.idle();
    await stop();
  };

  const mutate = async (
    user: TestUser,
    name: 'enablePullRequestAutoMerge' | 'disablePullRequestAutoMerge',
    input: Record<string, unknown>,
  ): Promise<string> => {
    const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { ${name}(input: $input) { pullRequest {
      autoMergeRequest { mergeMethod commitHeadline enabledBy { login } } } } }`;
    const { body, text } = await user.post('/graphql', { query, variables: { input } });
    assert.ok(body.errors ?? body.data, text);
    return body.errors?.[0].message ?? 'done';
  };

  /** A pull whose base requires the check `ci`, in a repository that allows auto-merge. */
  const waitingPull = async (): Promise<OpenedPull & { id: string }> => {
    const pull = await openPull(forge, owner);
    const at = `/repos/${pull.name}`;
    await owner.patch(at, { allow_auto_merge: true });
    await owner.put(`${at}/collaborators/writer`, { permission: 'push' });
    const [invitation] = (await writer.get('/user/repository_invitations')).body;
    await writer.patch(`/user/repository_invitations/${invitation.id}`);
    await owner.put(`${at}/branches/main/protection`, {
      required_status_checks: { strict: false, contexts: ['ci'] },
      enforce_admins: false,
      required_pull_request_reviews: null,
      restrictions: null,
    });
    await untilChecked(forge, owner, pull.path);
    return { ...pull, id: pull.response.body.node_id };
  };

  const report = (pull: OpenedPull, state: string): Promise<unknown> =>
    owner.post(`/repos/${pull.name}/statuses/${pull.head}`, { state, context: 'ci' });

  test('is refused where the repository, the branch, the caller or the state does not allow it', async () => {
    const pull = await waitingPull();
    const at = `/repos/${pull.name}`;
    const enable = (user: TestUser, more = {}): Promise<string> =>
      mutate(user, 'enablePullRequestAutoMerge', { pullRequestId: pull.id, ...more });
    const stranger = await forge.user();
    assert.notEqual(await enable(stranger), 'done');
    await owner.patch(at, { allow_auto_merge: false });
    assert.equal(await enable(owner), 'Auto merge is not allowed for this repository');
    await owner.patch(at, { allow_auto_merge: true, allow_squash_merge: false });
    assert.match(await enable(owner, { mergeMethod: 'SQUASH' }), /squash merging is not allowed/);
    assert.match(
      await enable(owner, { expectedHeadOid: '1'.repeat(40) }),
      /Head branch was modified/,
    );
    await report(pull, 'success');
    assert.equal(await enable(owner), 'Pull request is in clean status');
    await owner.delete(`${at}/branches/main/protection`);
    assert.match(await enable(owner), /branch rules not configured/);
    await owner.patch(pull.path, { state: 'closed' });
    assert.equal(await enable(owner), 'Pull request is closed');
    assert.equal((await owner.get(pull.path)).body.auto_merge, null);
  });

  test('merges once the required check succeeds, in the name and by the method that were set', async () => {
    const pull = await waitingPull();
    const input = { pullRequestId: pull.id, mergeMethod: 'SQUASH', commitHeadline: 'Head' };
    assert.equal(await mutate(writer, 'enablePullRequestAutoMerge', input), 'done');
    const { auto_merge: shown } = (await owner.get(pull.path)).body;
    assert.deepEqual(
      [shown.enabled_by.login, shown.merge_method, shown.commit_title, shown.commit_message],
      ['writer', 'squash', 'Head', ''],
    );
    await report(pull, 'pending');
    await mergeDue();
    await report(pull, 'failure');
    await mergeDue();
    assert.equal((await owner.get(pull.path)).body.state, 'open');
    await report(pull, 'success');
    await mergeDue();
    const merged = (await owner.get(pull.path)).body;
    assert.deepEqual(
      [merged.merged, merged.merged_by.login, merged.auto_merge],
      [true, 'writer', null],
    );
    const commit = await owner.get(`/repos/${pull.name}/commits/${merged.merge_commit_sha}`);
    assert.match(commit.body.commit.message, /^Head/);
  });

  test('waits for the rules even if the account that enabled it is exempt from them', async () => {
    const pull = await waitingPull();
    assert.equal(
      await mutate(owner, 'enablePullRequestAutoMerge', { pullRequestId: pull.id }),
      'done',
    );
    await mergeDue();
    assert.equal((await owner.get(pull.path)).body.state, 'open');
  });

  test('merges on the event that satisfies the rules, and at the next start after a crash', async () => {
    const live = await waitingPull();
    await mutate(writer, 'enablePullRequestAutoMerge', { pullRequestId: live.id });
    const stop = startAutoMerges(forge.ports);
    await forge.ports.background.idle();
    assert.equal((await owner.get(live.path)).body.merged, false);
    await report(live, 'success');
    // PostgreSQL notifies some time after the commit.
    const end = performance.now() + 60_000;
    while (!(await owner.get(live.path)).body.merged) {
      assert.ok(performance.now() < end, 'the pull was not merged');
      await new Promise((resolve) => setImmediate(resolve));
    }
    await stop();

    const later = await waitingPull();
    await mutate(writer, 'enablePullRequestAutoMerge', { pullRequestId: later.id });
    await report(later, 'success');
    assert.equal((await owner.get(later.path)).body.merged, false);
    await mergeDue();
    assert.equal((await owner.get(later.path)).body.merged, true);
  });

  test('merges nothing after it was disabled, or when the account that enabled it may not push any more', async () => {
    const pull = await waitingPull();
    const input = { pullRequestId: pull.id };
    await mutate(writer, 'enablePullRequestAutoMerge', input);
    const stranger = await forge.user();
    assert.notEqual(await mutate(stranger, 'disablePullRequestAutoMerge', input), 'done');
    assert.equal(await mutate(owner, 'disablePullRequestAutoMerge', input), 'done');
    assert.match(
      await mutate(owner, 'disablePullRequestAutoMerge', input),
      /Can't disable auto-merge/,
    );
    await mutate(writer, 'enablePullRequestAutoMerge', input);
    await owner.delete(`/repos/${pull.name}/collaborators/writer`);
    await report(pull, 'success');
    await mergeDue();
    const left = (await owner.get(pull.path)).body;
    assert.deepEqual([left.state, left.auto_merge], ['open', null]);
  });

  test('merges nothing in the name of an account that is suspended', async () => {
    const pull = await waitingPull();
    await mutate(writer, 'enablePullRequestAutoMerge', { pullRequestId: pull.id });
    const root = await forge.user(undefined, { siteAdmin: true });
    await root.put(`/users/${writer.login}/suspended`);
    await report(pull, 'success');
    await mergeDue();
    await root.delete(`/users/${writer.login}/suspended`);
    const left = (await owner.get(pull.path)).body;
    assert.deepEqual([left.state, left.auto_merge], ['open', null]);
  });

  test('is refused with texts that are too long', async () => {
    const pull = await waitingPull();
    const enable = (more: object): Promise<string> =>
      mutate(owner, 'enablePullRequestAutoMerge', { pullRequestId: pull.id, ...more });
    const title = 't'.repeat(1024);
    const message = 'm'.repeat(65_536);
    assert.match(await enable({ commitHeadline: `${title}t` }), /headline is too long/);
    assert.match(await enable({ commitBody: `${message}m` }), /body is too long/);
    assert.equal(await enable({ commitHeadline: title, commitBody: message }), 'done');
  });

  test('is refused to installations of Apps, whose rights are those of a token', async () => {
    const pull = await waitingPull();
    const permissions = { contents: 'write', pull_requests: 'write' };
    const app = await createTestApp(forge, owner.account.id, { permissions });
    const bot = await app.token(await app.install(owner.login));
    const query = `mutation { enablePullRequestAutoMerge(input: { pullRequestId: "${pull.id}" }) { clientMutationId } }`;
    const refused = await bot.post('/graphql', { query });
    assert.equal(refused.body.errors[0].type, 'FORBIDDEN');
    assert.match(refused.body.errors[0].message, /not accessible by integration/);
    assert.equal((await owner.get(pull.path)).body.auto_merge, null);
  });

  test('merges nothing once the repository does not allow it any more', async () => {
    const pull = await waitingPull();
    await mutate(writer, 'enablePullRequestAutoMerge', { pullRequestId: pull.id });
    await owner.patch(`/repos/${pull.name}`, { allow_auto_merge: false });
    await report(pull, 'success');
    await mergeDue();
    const left = (await owner.get(pull.path)).body;
    assert.deepEqual([left.merged, left.auto_merge], [false, null]);
  });

  test('ends with a rebase that conflicts, although a merge would not', async () => {
    const pull = await waitingPull();
    const commit = (branch: string, text: string, parent: string): Promise<string> =>
      commitFiles(forge, pull.name, branch, { 'README.md': text }, { parents: [parent] });
    const changed = await commit('topic', 'changed\n', pull.head);
    const restored = await commit('topic', 'one\ntwo\nthree\n', changed);
    await commit('main', 'theirs\n', pull.base);
    await owner.patch(pull.path, { state: 'closed' });
    await owner.patch(pull.path, { state: 'open' });
    await untilChecked(forge, owner, pull.path);
    const input = { pullRequestId: pull.id, mergeMethod: 'REBASE' };
    assert.equal(await mutate(writer, 'enablePullRequestAutoMerge', input), 'done');
    await report({ ...pull, head: restored }, 'success');
    await mergeDue();
    const left = (await owner.get(pull.path)).body;
    assert.deepEqual([left.head.sha, left.merged, left.auto_merge], [restored, false, null]);
  });

  test('is checked after events of its own repository only', async () => {
    const pull = await waitingPull();
    const other = await openPull(forge, owner);
    await mutate(writer, 'enablePullRequestAutoMerge', { pullRequestId: pull.id });
    const { background } = forge.ports;
    const keys: string[] = [];
    const run: typeof background.run = (key, ...work) => {
      keys.push(key);
      background.run(key, ...work);
    };
    const stop = startAutoMerges({ ...forge.ports, background: { ...background, run } });
    await background.idle();
    keys.length = 0;
    await report(other, 'success');
    assert.deepEqual(keys, []);
    await report(pull, 'pending');
    const end = performance.now() + 60_000;
    while (keys.length < 2) {
      assert.ok(performance.now() < end, 'the pull was not checked');
      await background.idle();
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.match(keys.join(), /^auto-merges of \d+,auto-merge \d+/);
    await stop();
  });

  test('merges nothing if it is disabled or changed while the merge is made', async () => {
    const pull = await waitingPull();
    const input = { pullRequestId: pull.id };
    await mutate(writer, 'enablePullRequestAutoMerge', input);
    const id = await repositoryId(forge, pull.name);
    const [row, repository] = await forge.database.read(
      async (sql) =>
        [
          await findPull(sql, id, pull.number),
          (await repositoriesById(sql, [id])).get(id),
        ] as const,
    );
    assert.ok(row?.autoMerge && repository);
    await mutate(writer, 'enablePullRequestAutoMerge', { ...input, mergeMethod: 'SQUASH' });
    await report(pull, 'success');
    const merge = mergePull(forge.ports, {
      pull: row,
      repository,
      caller: { kind: 'user', account: writer.account, scopes: 'password' },
      method: 'merge',
      sha: row.head.sha,
      autoMerge: row.autoMerge,
      input: { title: undefined, message: undefined },
      now: forge.clock.now(),
      offsetMinutes: 0,
    });
    await assert.rejects(merge, {
      refusal: { kind: 'conflict', message: 'Auto-merge was disabled or changed.' },
    });
    assert.equal((await owner.get(pull.path)).body.merged, false);
  });

  test('outlasts pushes to the repository itself, but neither another base nor closing', async () => {
    const pull = await waitingPull();
    await mutate(writer, 'enablePullRequestAutoMerge', { pullRequestId: pull.id });
    await commitFiles(forge, pull.name, 'topic', { 'more.txt': 'm\n' });
    await untilChecked(forge, owner, pull.path);
    await mergeDue();
    assert.notEqual((await owner.get(pull.path)).body.auto_merge, null);
    await owner.patch(pull.path, { state: 'closed' });
    await owner.patch(pull.path, { state: 'open' });
    assert.equal((await owner.get(pull.path)).body.auto_merge, null);
    await untilChecked(forge, owner, pull.path);
    await mutate(writer, 'enablePullRequestAutoMerge', { pullRequestId: pull.id });
    assert.notEqual((await owner.get(pull.path)).body.auto_merge, null);
    await commitFiles(forge, pull.name, 'next', { 'n.txt': 'n\n' }, { parents: [pull.base] });
    assert.equal((await owner.patch(pull.path, { base: 'next' })).status, 200);
    assert.equal((await owner.get(pull.path)).body.auto_merge, null);
  });

  test('is disabled by a push to the head in a fork', async () => {
    const name = await forge.repository(owner);
    await commitFiles(forge, name, 'main', { 'a.txt': 'a\n' });
    const guest = await forge.user();
    const fork = (await guest.post(`/repos/${name}/forks`)).body.full_name;
    await forge.ports.background.idle();
    await commitFiles(
      forge,
      fork,
      'topic',
      { 'b.txt': 'b\n' },
      { parents: [(await owner.get(`/repos/${name}/git/ref/heads/main`)).body.object.sha] },
    );
    const opened = await guest.post(`/repos/${name}/pulls`, {
      title: 'From a fork',
      head: `${guest.login}:topic`,
      base: 'main',
    });
    await owner.patch(`/repos/${name}`, { allow_auto_merge: true });
    await owner.put(`/repos/${name}/branches/main/protection`, {
      required_status_checks: { strict: false, contexts: ['ci'] },
      enforce_admins: false,
      required_pull_request_reviews: null,
      restrictions: null,
    });
    const path = `/repos/${name}/pulls/${opened.body.number}`;
    const input = { pullRequestId: opened.body.node_id };
    assert.equal(await mutate(owner, 'enablePullRequestAutoMerge', input), 'done');
    const moved = await commitFiles(forge, fork, 'topic', { 'c.txt': 'c\n' });
    await owner.post(`/repos/${name}/statuses/${moved}`, { state: 'success', context: 'ci' });
    await untilChecked(forge, owner, path);
    await mergeDue();
    const left = (await owner.get(path)).body;
    assert.deepEqual([left.state, left.auto_merge], ['open', null]);
  });
});
