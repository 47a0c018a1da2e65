import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { putCollaborator } from '../repositories/collaborator-store.ts';
import { openPull, untilChecked } from '../testing/pull-fixture.ts';
import { writeRepository } from '../events/invalidate.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('branch protection', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
  });
  after(() => forge.close());

  const noRules = {
    required_status_checks: null,
    enforce_admins: null,
    required_pull_request_reviews: null,
    restrictions: null,
  };

  function demanding(...contexts: string[]): object {
    return {
      ...noRules,
      enforce_admins: true,
      required_status_checks: { strict: false, contexts },
    };
  }

  async function pusher(name: string): Promise<TestUser> {
    const user = await forge.user();
    const id = await repositoryId(forge, name);
    const entry = {
      repositoryId: id,
      accountId: user.account.id,
      permission: 'write' as const,
      now: 0,
    };
    await writeRepository(forge.database, entry.repositoryId, (sql) => putCollaborator(sql, entry));
    return user;
  }

  async function repository(): Promise<{ name: string; path: string; tip: string }> {
    const name = await forge.repository(owner);
    const tip = await commitFiles(forge, name, 'main', { a: '1\n' });
    return { name, path: `/repos/${name}/branches/main/protection`, tip };
  }

  test('rules are seen and changed by administrators only', async () => {
    const { name, path } = await repository();
    const helper = await pusher(name);
    for (const [method, body] of [['GET'], ['PUT', noRules], ['DELETE']] as const) {
      const request = body ? { body } : {};
      assert.equal((await forge.anonymous.send(method, path, request)).status, 401);
      const response = await helper.send(method, path, request);
      assert.deepEqual(
        [response.status, response.body.message],
        [403, 'Must have admin rights to Repository.'],
      );
    }
    const hidden = await forge.repository(owner, { private: true, init: true });
    assert.equal((await outsider.get(`/repos/${hidden}/branches/main/protection`)).status, 404);
  });

  test('a branch without rules is said to have none', async () => {
    const { name, path } = await repository();
    for (const method of ['GET', 'DELETE']) {
      const response = await owner.send(method, path);
      assert.deepEqual([response.status, response.body.message], [404, 'Branch not protected']);
    }
    const absent = await owner.put(`/repos/${name}/branches/absent/protection`, noRules);
    assert.deepEqual([absent.status, absent.body.message], [404, 'Branch not found']);
  });

  test('rules that would not be obeyed are refused', async () => {
    const { path } = await repository();
    const reviews = (rules: object): object => ({
      ...noRules,
      required_pull_request_reviews: rules,
    });
    const many = Array.from({ length: 101 }, (_, index) => `ci/${index}`);
    for (const body of [
      {},
      { ...noRules, enforce_admins: 'yes' },
      { ...noRules, required_linear_history: true },
      { ...noRules, restrictions: { users: ['own'], teams: [] } },
      { ...noRules, restrictions: { users: [], teams: ['team'] } },
      demanding(...many),
      reviews({ required_approving_review_count: 0 }),
      reviews({ required_approving_review_count: 7 }),
      reviews({ require_code_owner_reviews: true }),
      reviews({ dismissal_restrictions: { users: ['own'] } }),
    ]) {
      assert.equal((await owner.put(path, body)).status, 422, JSON.stringify(body));
    }
    assert.equal((await owner.get(path)).status, 404);
  });

  test('rules are stored as given, shown with the branch and removed', async () => {
    const { name, path } = await repository();
    const body = {
      required_status_checks: { strict: true, contexts: ['ci/b', 'ci/a'] },
      enforce_admins: true,
      required_pull_request_reviews: {
        required_approving_review_count: 2,
        dismiss_stale_reviews: true,
      },
      restrictions: null,
      allow_deletions: true,
    };
    const put = await owner.put(path, body);
    assert.equal(put.status, 200, put.text);
    assert.deepEqual((await owner.get(path)).body, put.body);
    const url = `http://forge.test/api/v3${path}`;
    const checks = [
      { context: 'ci/b', app_id: null },
      { context: 'ci/a', app_id: null },
    ];
    assert.deepEqual(put.body, {
      url,
      enabled: true,
      required_status_checks: {
        url: `${url}/required_status_checks`,
        enforcement_level: 'everyone',
        strict: true,
        contexts: ['ci/b', 'ci/a'],
        checks,
        contexts_url: `${url}/required_status_checks/contexts`,
      },
      required_pull_request_reviews: {
        url: `${url}/required_pull_request_reviews`,
        dismiss_stale_reviews: true,
        require_code_owner_reviews: false,
        required_approving_review_count: 2,
      },
      enforce_admins: { url: `${url}/enforce_admins`, enabled: true },
      required_linear_history: { enabled: false },
      allow_force_pushes: { enabled: false },
      allow_deletions: { enabled: true },
    });
    const branch = (await outsider.get(`/repos/${name}/branches/main`)).body;
    assert.equal(branch.protected, true);
    assert.deepEqual(branch.protection, {
      enabled: true,
      required_status_checks: {
        enforcement_level: 'everyone',
        contexts: ['ci/b', 'ci/a'],
        checks,
      },
    });
    await commitFiles(forge, name, 'other', { b: '1\n' });
    const names = async (query: string): Promise<string[]> =>
      (await owner.get(`/repos/${name}/branches${query}`)).body.map(
        (each: { name: string }) => each.name,
      );
    assert.deepEqual(await names('?protected=true'), ['main']);
    assert.deepEqual(await names('?protected=false'), ['other']);
    assert.equal((await owner.delete(path)).status, 204);
    assert.equal((await owner.get(`/repos/${name}/branches/main`)).body.protected, false);
  });

  test('only those who are named push to a restricted branch of an organization', async () => {
    const organization = await forge.organization(owner);
    const created = await owner.post(`/orgs/${organization.login}/repos`, { name: 'x' });
    const name = created.body.full_name;
    await commitFiles(forge, name, 'main', { a: '1\n' });
    const [named, other] = [await pusher(name), await pusher(name)];
    const path = `/repos/${name}/branches/main/protection`;
    const unknown = { users: ['nobody-at-all'], teams: [] };
    assert.equal((await owner.put(path, { ...noRules, restrictions: unknown })).status, 422);
    const restrictions = { users: [named.login], teams: [] };
    const put = await owner.put(path, { ...noRules, restrictions });
    assert.equal(put.status, 200, put.text);
    assert.deepEqual(
      put.body.restrictions.users.map((user: { login: string }) => user.login),
      [named.login],
    );
    const file = { message: 'x', content: '' };
    const refused = await other.put(`/repos/${name}/contents/f`, file);
    assert.equal(refused.status, 422);
    assert.match(refused.body.message, /^You're not authorized to push to this branch\./);
    assert.equal((await named.put(`/repos/${name}/contents/f`, file)).status, 201);
  });

  test('not even its owner can force-push or delete a protected branch', async () => {
    const { name, path, tip } = await repository();
    await commitFiles(forge, name, 'other', { b: '1\n' }, { parents: [tip] });
    const later = await commitFiles(forge, name, 'other', { b: '2\n' });
    const ref = `/repos/${name}/git/refs/heads/other`;
    const protection = path.replace('main', 'other');
    await owner.put(protection, noRules);
    const forced = await owner.patch(ref, { sha: tip, force: true });
    assert.deepEqual(
      [forced.status, forced.body.message],
      [422, 'Cannot force-push to this branch'],
    );
    const deleted = await owner.delete(ref);
    assert.deepEqual([deleted.status, deleted.body.message], [422, 'Cannot delete this branch']);
    assert.equal((await owner.get(`/repos/${name}/branches/other`)).body.commit.sha, later);
    await owner.put(protection, { ...noRules, allow_force_pushes: true, allow_deletions: true });
    assert.equal((await owner.patch(ref, { sha: tip, force: true })).status, 200);
    assert.equal((await owner.delete(ref)).status, 204);
  });

  test('a pull is blocked until every required status check has succeeded', async () => {
    const { name, path, head } = await openPull(forge, owner);
    const protection = `/repos/${name}/branches/main/protection`;
    await untilChecked(forge, owner, path);
    const refusal = async (): Promise<string> => {
      assert.equal((await owner.get(path)).body.mergeable_state, 'blocked');
      const response = await owner.put(`${path}/merge`);
      assert.equal(response.status, 405);
      return response.body.message;
    };
    const say = (context: string, state: string): Promise<unknown> =>
      owner.post(`/repos/${name}/statuses/${head}`, { context, state });
    await owner.put(protection, demanding('ci/x'));
    assert.equal(await refusal(), 'Required status check "ci/x" is expected.');
    await owner.put(protection, demanding('ci/x', 'ci/y', 'ci/z'));
    assert.equal(await refusal(), '3 of 3 required status checks are expected.');
    await say('ci/x', 'failure');
    await say('CI/Z', 'success');
    assert.equal(
      await refusal(),
      '2 of 3 required status checks have not succeeded: 1 failing, 1 expected.',
    );
    await say('ci/y', 'success');
    assert.equal(await refusal(), 'Required status check "ci/x" is failing.');
    await say('ci/x', 'pending');
    assert.equal(await refusal(), 'Required status check "ci/x" is pending.');
    const file = { message: 'x', content: '', branch: 'main' };
    const direct = await owner.put(`/repos/${name}/contents/f`, file);
    assert.equal(direct.status, 422, 'a file is no way around');
    const merges = await owner.post(`/repos/${name}/merges`, { base: 'main', head: 'topic' });
    assert.equal(merges.status, 422, 'nor is the merge of branches');
    await say('ci/x', 'success');
    assert.equal((await owner.get(path)).body.mergeable_state, 'clean');
    assert.equal((await owner.put(`${path}/merge`)).status, 200);
  });

  test('administrators pass by rules that are not enforced on them', async () => {
    const { name, path } = await openPull(forge, owner);
    const helper = await pusher(name);
    const rules = { ...demanding('ci/x'), enforce_admins: false };
    await owner.put(`/repos/${name}/branches/main/protection`, rules);
    assert.equal((await helper.put(`${path}/merge`)).status, 405);
    assert.equal((await owner.put(`${path}/merge`)).status, 200);
  });

  test('a head must have all commits of a strict branch', async () => {
    const { name, path, base } = await openPull(forge, owner);
    await commitFiles(forge, name, 'main', { other: '1\n' }, { parents: [base] });
    const required = { strict: true, contexts: [] };
    const rules = { ...noRules, enforce_admins: true, required_status_checks: required };
    await owner.put(`/repos/${name}/branches/main/protection`, rules);
    const pull = await untilChecked(forge, owner, path);
    assert.equal(pull.body.mergeable_state, 'behind');
    const response = await owner.put(`${path}/merge`);
    assert.deepEqual(
      [response.status, response.body.message],
      [405, 'Head branch is out of date. Review and try the merge again.'],
    );
    await owner.send('PUT', `${path}/update-branch`, {
      headers: { accept: 'application/vnd.github.lydian-preview+json' },
    });
    assert.equal((await untilChecked(forge, owner, path)).body.mergeable_state, 'clean');
    assert.equal((await owner.put(`${path}/merge`)).status, 200);
  });

  test('the message about required reviews names their number', async () => {
    const { name, path } = await openPull(forge, owner);
    for (const [count, words] of [
      [1, '1 approving review is'],
      [2, '2 approving reviews are'],
    ] as const) {
      const reviews = { required_approving_review_count: count };
      const rules = { ...noRules, enforce_admins: true, required_pull_request_reviews: reviews };
      await owner.put(`/repos/${name}/branches/main/protection`, rules);
      const { body, status } = await owner.put(`${path}/merge`);
      const message = `At least ${words} required by reviewers with write access.`;
      assert.deepEqual([status, body.message], [405, message]);
    }
  });
});
