import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import {
  startTestForge,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';

describe('renaming a branch', () => {
  let forge: TestForge;
  let owner: TestUser;
  let mate: TestUser;
  let name: string;
  let head: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    mate = await forge.user('mate');
  });
  after(() => forge.close());

  beforeEach(async () => {
    name = await forge.repository(owner);
    const root = await commitFiles(forge, name, 'main', { a: '1\n' });
    head = await commitFiles(forge, name, 'topic', { a: '2\n' }, { parents: [root] });
    const { body } = await owner.put(`/repos/${name}/collaborators/mate`);
    await mate.patch(`/user/repository_invitations/${body.id}`);
  });

  const rename = (from: string, to: unknown, who: TestUser = owner): Promise<TestResponse> =>
    who.post(`/repos/${name}/branches/${from}/rename`, { new_name: to });
  const branches = async (): Promise<string[]> =>
    (await owner.get(`/repos/${name}/branches`)).body.map((each: { name: string }) => each.name);

  test('is refused for names that are none or taken, and to those who may not', async () => {
    const outsider = await forge.user();
    assert.equal((await rename('topic', 'new', outsider)).status, 404);
    assert.equal((await rename('none', 'new')).status, 404);
    for (const to of ['', 'a..b', '-x', 'main', 'topic', 'topic/below', 3]) {
      assert.equal((await rename('topic', to)).status, 422, String(to));
    }
    assert.equal((await rename('main', 'new', mate)).status, 403);
    assert.deepEqual(await branches(), ['main', 'topic']);
  });

  test('takes its open pulls along, on both ends', async () => {
    const { body: from } = await owner.post(`/repos/${name}/pulls`, {
      title: 'From',
      head: 'topic',
      base: 'main',
    });
    await commitFiles(forge, name, 'second', { b: 'b' }, { parents: [head] });
    const { body: into } = await owner.post(`/repos/${name}/pulls`, {
      title: 'Into',
      head: 'second',
      base: 'topic',
    });
    const { status, body, headers } = await rename('topic', 'feature/x', mate);
    assert.deepEqual([status, body.name, body.commit.sha], [201, 'feature/x', head]);
    assert.match(headers['location'] ?? '', /\/branches\/feature\/x$/);
    await forge.ports.background.idle();
    assert.deepEqual(await branches(), ['feature/x', 'main', 'second']);
    const first = (await owner.get(`/repos/${name}/pulls/${from.number}`)).body;
    assert.deepEqual([first.state, first.head.ref, first.base.ref], ['open', 'feature/x', 'main']);
    const second = (await owner.get(`/repos/${name}/pulls/${into.number}`)).body;
    assert.deepEqual([second.state, second.base.ref], ['open', 'feature/x']);
    const moved = await commitFiles(forge, name, 'feature/x', { a: '3\n' });
    const followed = (await owner.get(`/repos/${name}/pulls/${from.number}`)).body;
    assert.equal(followed.head.sha, moved);
    const merged = await owner.put(`/repos/${name}/pulls/${into.number}/merge`);
    assert.equal(merged.status, 200, merged.text);
  });

  test('of a fork leaves the pulls of its parent open', async () => {
    const { body: fork } = await mate.post(`/repos/${name}/forks`);
    await commitFiles(forge, fork.full_name, 'change', { c: 'c' }, { parents: [head] });
    const { body } = await mate.post(`/repos/${name}/pulls`, {
      title: 'From a fork',
      head: 'mate:change',
      base: 'main',
    });
    await mate.post(`/repos/${fork.full_name}/branches/change/rename`, { new_name: 'changed' });
    await forge.ports.background.idle();
    const pull = (await owner.get(`/repos/${name}/pulls/${body.number}`)).body;
    assert.deepEqual([pull.state, pull.head.label], ['open', 'mate:changed']);
  });

  test('moves the rules and the default branch', async () => {
    await owner.put(`/repos/${name}/branches/main/protection`, {
      required_status_checks: { strict: true, contexts: ['ci'] },
      enforce_admins: false,
      required_pull_request_reviews: null,
      restrictions: null,
    });
    const { status, body } = await rename('main', 'trunk');
    assert.deepEqual([status, body.protected], [201, true]);
    assert.equal((await owner.get(`/repos/${name}`)).body.default_branch, 'trunk');
    assert.equal((await owner.get(`/repos/${name}/branches/main`)).status, 404);
    const { body: rules } = await owner.get(`/repos/${name}/branches/trunk/protection`);
    assert.deepEqual(rules.required_status_checks.contexts, ['ci']);
    assert.equal((await rename('topic', 'main', mate)).status, 201);
    assert.equal((await rename('trunk', 'mine', mate)).status, 403);
  });

  test('does not give a branch to rules that wait for its name', async () => {
    await commitFiles(forge, name, 'old', { d: 'd' });
    const rules = {
      required_status_checks: null,
      enforce_admins: false,
      required_pull_request_reviews: null,
      restrictions: null,
    };
    await owner.put(`/repos/${name}/branches/old/protection`, rules);
    await owner.delete(`/repos/${name}/git/refs/heads/old`);
    assert.equal((await rename('topic', 'old')).status, 422);
  });
});
