import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('watching a repository', () => {
  let forge: TestForge;
  let owner: TestUser;
  let watcher: TestUser;
  let name: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    watcher = await forge.user('watcher');
    name = await forge.repository(owner);
    const base = await commitFiles(forge, name, 'main', { a: 'a' });
    for (const branch of ['one', 'two', 'three']) {
      await commitFiles(forge, name, branch, { [branch]: 'b' }, { parents: [base] });
    }
  });
  after(() => forge.close());

  const at = (of = name): string => `/repos/${of}/subscription`;
  const watchers = async (): Promise<string[]> =>
    (await owner.get(`/repos/${name}/subscribers`)).body.map((each: TestUser) => each.login);
  const openPull = (user: TestUser, head: string) =>
    user.post(`/repos/${name}/pulls`, { title: head, head, base: 'main' });
  const threads = async (user: TestUser): Promise<string[]> =>
    (await user.get('/notifications?all=true')).body.map(
      (each: { subject: { title: string }; reason: string }) =>
        `${each.subject.title} ${each.reason}`,
    );

  test('is refused without access, an account or a scope', async () => {
    const hidden = await forge.repository(owner, { private: true });
    const narrow = await forge.withScopes(watcher, ['user']);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      assert.equal((await forge.anonymous.send(method, at())).status, 401, method);
      assert.equal((await narrow.send(method, at())).status, 404, method);
      assert.equal((await watcher.send(method, at(hidden))).status, 404, method);
    }
    assert.equal((await watcher.get(at())).status, 404);
    assert.equal((await watcher.put(at(), { ignored: 'yes' })).status, 422);
  });

  test('owners do from the beginning, others once they ask for it', async () => {
    assert.deepEqual(await watchers(), ['own']);
    assert.equal((await owner.get(at())).body.subscribed, true);
    const { body } = await watcher.put(at(), { subscribed: true });
    assert.deepEqual([body.subscribed, body.ignored, body.reason], [true, false, null]);
    assert.deepEqual((await watcher.get(at())).body, body);
    assert.deepEqual(await watchers(), ['own', 'watcher']);
    assert.equal((await watcher.get(`/repos/${name}`)).body.subscribers_count, 2);
    const listed = (await owner.get('/users/watcher/subscriptions')).body;
    assert.deepEqual(
      listed.map((each: { full_name: string }) => each.full_name),
      [name],
    );
    assert.deepEqual((await watcher.get('/user/subscriptions')).body.length, 1);
  });

  test('means notifications of its pulls, unless it is ignored', async () => {
    await watcher.put(at(), { subscribed: true });
    await openPull(owner, 'one');
    assert.deepEqual(await threads(watcher), ['one subscribed']);
    const ignored = await watcher.put(at(), { ignored: true });
    assert.deepEqual([ignored.body.subscribed, ignored.body.ignored], [false, true]);
    assert.deepEqual(await watchers(), ['own']);
    assert.deepEqual((await watcher.get('/user/subscriptions')).body, []);
    await openPull(owner, 'two');
    assert.deepEqual(await threads(watcher), ['one subscribed']);
    await owner.put(at(), { ignored: true });
    await watcher.put(at(), { subscribed: true });
    assert.equal((await owner.delete(at())).status, 204);
    assert.equal((await owner.get(at())).status, 404);
    assert.equal((await watcher.put(at(), { subscribed: false })).body.subscribed, false);
    assert.equal((await watcher.get(at())).status, 404);
    assert.deepEqual(await watchers(), []);
    assert.equal((await watcher.get(`/repos/${name}`)).body.subscribers_count, 0);
    await owner.put(at());
  });

  test('counts once of an owner who gets the repository again', async () => {
    await forge.organization(owner, 'org');
    await owner.post('/orgs/org/repos', { name: 'moving' });
    const count = async (holder: string): Promise<number> =>
      (await owner.get(`/repos/${holder}/moving`)).body.subscribers_count;
    const move = async (from: string, to: string): Promise<void> => {
      const { status } = await owner.post(`/repos/${from}/moving/transfer`, { new_owner: to });
      assert.equal(status, 202);
    };
    assert.equal(await count('org'), 0);
    await move('org', 'own');
    assert.equal(await count('own'), 1);
    await move('own', 'org');
    await move('org', 'own');
    assert.equal(await count('own'), 1);
    await owner.delete('/repos/own/moving');
  });

  test('shows outsiders no private repository', async () => {
    await forge.repository(owner, { private: true });
    const seen = (await watcher.get('/users/own/subscriptions')).body;
    assert.deepEqual(
      seen.map((each: { full_name: string }) => each.full_name),
      [name],
    );
    assert.ok((await owner.get('/user/subscriptions')).body.length > 1);
  });
});
