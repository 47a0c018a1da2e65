import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { putCollaborator } from '../repositories/collaborator-store.ts';
import { writeRepository } from '../events/invalidate.ts';
import { repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('attributes of issues', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
  });
  after(() => forge.close());

  async function openIssue(): Promise<{ name: string; path: string }> {
    const name = await forge.repository(owner);
    const response = await owner.post(`/repos/${name}/issues`, { title: 'x' });
    assert.equal(response.status, 201, response.text);
    return { name, path: `/repos/${name}/issues/1` };
  }

  async function collaborator(name: string, permission: 'triage' | 'write'): Promise<TestUser> {
    const user = await forge.user();
    const id = await repositoryId(forge, name);
    const entry = { repositoryId: id, accountId: user.account.id, permission, now: 0 };
    await writeRepository(forge.database, id, (sql) => putCollaborator(sql, entry));
    return user;
  }

  const names = (response: { body: { name: string }[] }): string[] =>
    response.body.map((label) => label.name);

  test('labels are put on an issue by who may triage only', async () => {
    const { path } = await openIssue();
    assert.equal((await outsider.post(`${path}/labels`, { labels: ['a'] })).status, 404);
    assert.equal((await outsider.put(`${path}/labels`, { labels: ['a'] })).status, 404);
    assert.equal((await outsider.delete(`${path}/labels`)).status, 404);
    assert.equal((await outsider.delete(`${path}/labels/a`)).status, 404);
    assert.equal((await owner.post(`${path}/labels`, {})).status, 422);
    assert.equal((await owner.post(`${path}7/labels`, { labels: ['a'] })).status, 404);
    const missing = await owner.delete(`${path}/labels/none`);
    assert.deepEqual([missing.status, missing.body.message], [404, 'Label does not exist']);
    const many = Array.from({ length: 101 }, (_, index) => `label ${index}`);
    assert.equal((await owner.put(`${path}/labels`, { labels: many })).status, 422);
    assert.deepEqual((await owner.get(`${path}/labels`)).body, []);
  });

  test('labels are added, set and removed; an array by itself is a list of labels', async () => {
    const { path, name } = await openIssue();
    assert.deepEqual(names(await owner.post(`${path}/labels`, { labels: ['b', 'B', 'a'] })), [
      'a',
      'b',
    ]);
    assert.deepEqual(names(await owner.post(`${path}/labels`, ['c'])), ['a', 'b', 'c']);
    assert.deepEqual(names(await owner.put(`${path}/labels`, ['A', 'd'])), ['a', 'd']);
    assert.deepEqual(names(await owner.delete(`${path}/labels/D`)), ['a']);
    assert.equal((await owner.delete(`${path}/labels`)).status, 204);
    assert.deepEqual((await owner.get(`${path}/labels`)).body, []);
    assert.equal((await owner.get(`/repos/${name}/labels`)).body.length, 4);
    await owner.put(`${path}/labels`, { labels: ['a'] });
    await owner.delete(`/repos/${name}/labels/a`);
    assert.deepEqual((await owner.get(path)).body.labels, [], 'a deleted label is on nothing');
  });

  test('who may triage but not push uses labels and makes none', async () => {
    const { path, name } = await openIssue();
    const helper = await collaborator(name, 'triage');
    await owner.post(`/repos/${name}/labels`, { name: 'known' });
    const unknown = await helper.post(`${path}/labels`, { labels: ['known', 'unknown'] });
    assert.equal(unknown.status, 422);
    assert.deepEqual(unknown.body.errors, [
      { value: 'unknown', resource: 'Label', field: 'name', code: 'missing' },
    ]);
    assert.deepEqual((await owner.get(`${path}/labels`)).body, [], 'all or nothing');
    assert.deepEqual(names(await helper.post(`${path}/labels`, { labels: ['known'] })), ['known']);
    assert.equal((await helper.patch(path, { state: 'closed', title: 'My words' })).status, 403);
    assert.deepEqual((await owner.get(path)).body.state, 'open', 'all or nothing');
    assert.equal((await helper.patch(path, { state: 'closed' })).body.state, 'closed');
  });

  test('only people who may push, and the author, are assigned', async () => {
    const { name } = await openIssue();
    const helper = await collaborator(name, 'write');
    await outsider.post(`/repos/${name}/issues`, { title: 'theirs' });
    const path = `/repos/${name}/issues/2`;
    const assignees = `${path}/assignees`;
    assert.equal((await outsider.post(assignees, { assignees: ['own'] })).status, 404);
    const other = await forge.user();
    const response = await owner.post(assignees, {
      assignees: ['own', other.login, 'nobody-at-all', helper.login, 'stranger'],
    });
    assert.equal(response.status, 201, response.text);
    const logins = (body: { assignees: { login: string }[] }): string[] =>
      body.assignees.map((user) => user.login);
    assert.deepEqual(logins(response.body), ['own', helper.login, 'stranger']);
    assert.equal(response.body.assignee.login, 'own');
    const fewer = await owner.delete(assignees, { assignees: ['own', other.login] });
    assert.equal(fewer.status, 200, fewer.text);
    assert.deepEqual(logins(fewer.body), [helper.login, 'stranger']);
    const list = await owner.get(`/repos/${name}/assignees`);
    assert.deepEqual(
      list.body.map((user: { login: string }) => user.login),
      ['own', helper.login],
    );
    assert.equal((await owner.get(`/repos/${name}/assignees/${helper.login}`)).status, 204);
    assert.equal((await owner.get(`/repos/${name}/assignees/stranger`)).status, 404);
    assert.equal((await owner.get(`/repos/${name}/assignees/nobody-at-all`)).status, 404);
  });

  test('a conversation is locked by who may push, with a reason of the four', async () => {
    const { path, name } = await openIssue();
    const helper = await collaborator(name, 'triage');
    assert.equal((await outsider.put(`${path}/lock`)).status, 404);
    assert.equal((await helper.put(`${path}/lock`)).status, 404);
    assert.equal((await outsider.delete(`${path}/lock`)).status, 404);
    const wrong = await owner.put(`${path}/lock`, { lock_reason: 'boring' });
    assert.match(wrong.body.errors[0].message, /boring is not a member of/);
    assert.equal((await owner.get(path)).body.locked, false);
    for (const reason of ['off-topic', 'too heated', 'resolved', 'spam']) {
      const locked = await owner.put(`${path}/lock`, { lock_reason: reason });
      assert.deepEqual([locked.status, locked.text], [204, '']);
      assert.equal(locked.headers['x-accepted-oauth-scopes'], 'public_repo, repo');
      const issue = (await owner.get(path)).body;
      assert.deepEqual([issue.locked, issue.active_lock_reason], [true, reason]);
    }
    assert.equal((await owner.delete(`${path}/lock`)).status, 204);
    assert.equal((await owner.delete(`${path}/lock`)).status, 204);
    const issue = (await owner.get(path)).body;
    assert.deepEqual([issue.locked, issue.active_lock_reason], [false, null]);
    await owner.put(`${path}/lock`);
    const events = (await owner.get(`${path}/events`)).body;
    assert.deepEqual(
      events.map((event: Record<string, unknown>) => [event['event'], event['lock_reason']]),
      [
        ['locked', 'off-topic'],
        ['locked', 'too heated'],
        ['locked', 'resolved'],
        ['locked', 'spam'],
        ['unlocked', undefined],
        ['locked', null],
      ],
    );
  });
});
