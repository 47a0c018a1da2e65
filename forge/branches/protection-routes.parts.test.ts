import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the parts of branch rules', () => {
  let forge: TestForge;
  let owner: TestUser;
  let member: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    member = await forge.user('member');
    outsider = await forge.user('stranger');
    await forge.organization(owner, 'org');
    await owner.put('/orgs/org/memberships/member');
  });
  after(() => forge.close());

  const noRules = {
    required_status_checks: null,
    enforce_admins: null,
    required_pull_request_reviews: null,
    restrictions: null,
  };
  const full = {
    required_status_checks: { strict: true, contexts: ['ci/a'] },
    enforce_admins: false,
    required_pull_request_reviews: { required_approving_review_count: 2 },
    restrictions: { users: ['member'], teams: [] },
  };

  /** A branch of an organization's repository with these rules. */
  async function protectedBranch(
    rules: object = full,
    branch = 'main',
  ): Promise<{ name: string; path: string }> {
    const created = await owner.post('/orgs/org/repos', {
      name: `r-${Math.trunc(forge.clock.now())}`,
    });
    forge.clock.advance(1);
    assert.equal(created.status, 201, created.text);
    const name = created.body.full_name;
    await commitFiles(forge, name, branch, { a: '1\n' });
    const path = `/repos/${name}/branches/${branch}/protection`;
    assert.equal((await owner.put(path, rules)).status, 200);
    return { name, path };
  }

  const parts = [
    'required_status_checks',
    'required_status_checks/contexts',
    'required_pull_request_reviews',
    'enforce_admins',
    'restrictions',
    'restrictions/users',
    'restrictions/teams',
    'restrictions/apps',
  ];

  test('are for administrators, like the whole', async () => {
    const { path } = await protectedBranch();
    for (const part of parts) {
      assert.equal((await forge.anonymous.get(`${path}/${part}`)).status, 401, part);
      assert.equal((await member.get(`${path}/${part}`)).status, 403, part);
      assert.equal((await outsider.get(`${path}/${part}`)).status, 403, part);
    }
    for (const [method, part, body] of [
      ['PATCH', 'required_status_checks', {}],
      ['DELETE', 'required_status_checks', undefined],
      ['POST', 'required_status_checks/contexts', ['x']],
      ['PATCH', 'required_pull_request_reviews', {}],
      ['POST', 'enforce_admins', undefined],
      ['DELETE', 'restrictions', undefined],
      ['PUT', 'restrictions/users', []],
      ['PUT', 'restrictions/teams', []],
    ] as const) {
      const response = await member.send(method, `${path}/${part}`, { body: body ?? {} });
      assert.equal(response.status, 403, `${method} ${part}`);
    }
  });

  test('are absent where the branch, its rules or the demand are', async () => {
    const { name, path } = await protectedBranch(noRules);
    const sent = async (target: string): Promise<string> => {
      const response = await owner.get(target);
      assert.equal(response.status, 404, target);
      return response.body.message;
    };
    for (const part of parts) {
      const absent = `/repos/${name}/branches/absent/protection/${part}`;
      assert.equal(await sent(absent), 'Branch not found');
    }
    assert.equal(
      await sent(`${path}/required_status_checks`),
      'Required status checks not enabled',
    );
    const contexts = `${path}/required_status_checks/contexts`;
    assert.equal(await sent(contexts), 'Required status checks not enabled');
    assert.equal((await owner.post(contexts, ['x'])).status, 404);
    const reviews = `${path}/required_pull_request_reviews`;
    assert.equal(await sent(reviews), 'Required pull request reviews not enabled');
    for (const rest of ['', '/users', '/teams', '/apps']) {
      assert.equal(await sent(`${path}/restrictions${rest}`), 'Push restrictions not enabled');
    }
    for (const part of [
      'required_status_checks',
      'required_pull_request_reviews',
      'restrictions',
    ]) {
      assert.equal((await owner.delete(`${path}/${part}`)).status, 404);
    }
    await owner.delete(path);
    for (const part of parts) assert.equal(await sent(`${path}/${part}`), 'Branch not protected');
  });

  test('show what the whole shows, at the URLs it gives', async () => {
    const { path } = await protectedBranch();
    const { body } = await owner.get(path);
    for (const part of [
      'required_status_checks',
      'required_pull_request_reviews',
      'enforce_admins',
      'restrictions',
    ]) {
      const target = new URL(body[part].url).pathname;
      assert.deepEqual((await owner.get(target)).body, body[part]);
    }
    const contexts = new URL(body.required_status_checks.contexts_url).pathname;
    assert.deepEqual((await owner.get(contexts)).body, ['ci/a']);
    const { restrictions } = body;
    assert.deepEqual(
      (await owner.get(new URL(restrictions.users_url).pathname)).body,
      restrictions.users,
    );
    assert.deepEqual((await owner.get(new URL(restrictions.teams_url).pathname)).body, []);
    assert.deepEqual((await owner.get(new URL(restrictions.apps_url).pathname)).body, []);
  });

  test('change one demand and leave the others alone', async () => {
    const { path } = await protectedBranch(full, 'a/b');
    const whole = (await owner.get(path)).body;
    const checks = await owner.patch(`${path}/required_status_checks`, { strict: false });
    assert.deepEqual([checks.body.strict, checks.body.contexts], [false, ['ci/a']]);
    const reviews = await owner.patch(`${path}/required_pull_request_reviews`, {
      dismiss_stale_reviews: true,
    });
    assert.equal(reviews.body.required_approving_review_count, 2);
    assert.equal(reviews.body.dismiss_stale_reviews, true);
    for (const wrong of [
      { required_approving_review_count: 0 },
      { require_code_owner_reviews: true },
      { dismissal_restrictions: { users: ['own'] } },
    ]) {
      const refused = await owner.patch(`${path}/required_pull_request_reviews`, wrong);
      assert.equal(refused.status, 422, JSON.stringify(wrong));
    }
    const enforced = await owner.post(`${path}/enforce_admins`);
    assert.deepEqual(enforced.body, { url: whole.enforce_admins.url, enabled: true });
    assert.deepEqual((await owner.get(path)).body, {
      ...whole,
      required_status_checks: { ...checks.body, enforcement_level: 'everyone' },
      required_pull_request_reviews: reviews.body,
      enforce_admins: enforced.body,
    });
    assert.equal((await owner.delete(`${path}/enforce_admins`)).status, 204);
    assert.equal((await owner.get(`${path}/enforce_admins`)).body.enabled, false);
    for (const part of [
      'required_status_checks',
      'required_pull_request_reviews',
      'restrictions',
    ]) {
      assert.equal((await owner.delete(`${path}/${part}`)).status, 204);
      assert.equal((await owner.get(`${path}/${part}`)).status, 404);
    }
    const demanded = await owner.patch(`${path}/required_status_checks`, { contexts: ['ci/b'] });
    assert.deepEqual([demanded.body.strict, demanded.body.contexts], [false, ['ci/b']]);
    const again = await owner.patch(`${path}/required_pull_request_reviews`, {});
    assert.equal(again.body.required_approving_review_count, 1);
  });

  test('add contexts to the list, replace it and take them out, in either form of the body', async () => {
    const { path } = await protectedBranch();
    const contexts = `${path}/required_status_checks/contexts`;
    assert.deepEqual((await owner.post(contexts, ['ci/b', 'ci/a'])).body, ['ci/a', 'ci/b']);
    assert.deepEqual((await owner.post(contexts, { contexts: ['ci/c'] })).body, [
      'ci/a',
      'ci/b',
      'ci/c',
    ]);
    assert.deepEqual((await owner.delete(contexts, ['ci/a', 'absent'])).body, ['ci/b', 'ci/c']);
    assert.deepEqual((await owner.put(contexts, ['x', 'x'])).body, ['x']);
    assert.equal((await owner.put(contexts, [7])).status, 422);
    const many = Array.from({ length: 100 }, (_, index) => `ci/${index}`);
    assert.equal((await owner.post(contexts, many)).status, 422, 'the limit is on the whole list');
    assert.deepEqual((await owner.get(contexts)).body, ['x']);
  });

  test('name people and teams who may push, and it is so', async () => {
    const { name, path } = await protectedBranch({
      ...full,
      required_status_checks: null,
      required_pull_request_reviews: null,
      enforce_admins: true,
    });
    const team = (await owner.post('/orgs/org/teams', { name: 'Pushers' })).body.slug;
    await owner.put(`/orgs/org/teams/${team}/memberships/member`);
    await owner.put(`/orgs/org/teams/${team}/repos/${name}`, { permission: 'push' });
    const [users, teams] = [`${path}/restrictions/users`, `${path}/restrictions/teams`];
    const logins = (response: { body: { login: string }[] }): string[] =>
      response.body.map((each) => each.login);
    const slugs = (response: { body: { slug: string }[] }): string[] =>
      response.body.map((each) => each.slug);
    let files = 0;
    const write = async (): Promise<number> => {
      files += 1;
      const file = { message: 'x', content: '' };
      return (await member.put(`/repos/${name}/contents/f${files}`, file)).status;
    };
    assert.equal(await write(), 201);
    assert.deepEqual(logins(await owner.post(users, ['own'])).toSorted(), ['member', 'own']);
    assert.equal((await owner.post(users, ['nobody-at-all'])).status, 422);
    assert.deepEqual(logins(await owner.delete(users, ['member'])), ['own']);
    assert.equal(await write(), 422);
    assert.equal((await owner.post(teams, ['absent'])).status, 422);
    assert.deepEqual(slugs(await owner.post(teams, { teams: [team] })), [team]);
    assert.equal(await write(), 201);
    const whole = (await owner.get(`${path}/restrictions`)).body;
    assert.deepEqual(
      [logins({ body: whole.users }), slugs({ body: whole.teams })],
      [['own'], [team]],
    );
    assert.deepEqual(slugs(await owner.put(teams, [])), []);
    assert.equal(await write(), 422);
    const put = await owner.put(path, { ...noRules, restrictions: { users: [], teams: [team] } });
    assert.deepEqual(slugs({ body: put.body.restrictions.teams }), [team]);
    assert.equal(await write(), 201);
    await owner.delete(`/orgs/org/teams/${team}`);
    assert.deepEqual((await owner.get(teams)).body, []);
  });
});
