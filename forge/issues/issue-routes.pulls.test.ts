import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { putMember } from '../accounts/account-store.ts';
import { putCollaborator } from '../repositories/collaborator-store.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { writeRepository, writeAccounts } from '../events/invalidate.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import {
  startTestForge,
  type TestResponse,
  type TestForge,
  type TestUser,
} from '../testing/test-forge.ts';

describe('pulls as issues', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
  });
  after(() => forge.close());

  const eventNames = (response: TestResponse): string[] =>
    response.body.map((event: { event: string }) => event.event);

  test('a pull is an issue that says where the pull is', async () => {
    const { name, path } = await openPull(forge, owner);
    const issue = (await owner.get(`/repos/${name}/issues/1`)).body;
    const pull = (await owner.get(path)).body;
    assert.deepEqual(issue.pull_request, {
      url: pull.url,
      html_url: pull.html_url,
      diff_url: pull.diff_url,
      patch_url: pull.patch_url,
      merged_at: null,
    });
    assert.deepEqual([issue.id, issue.node_id, issue.url], [pull.id, pull.node_id, pull.issue_url]);
    assert.equal((await owner.get(`/repos/${name}/issues`)).body.length, 1);
  });

  test('a pull has the labels, assignees, milestone and lock of its issue, alone and in lists', async () => {
    const { name, path } = await openPull(forge, owner);
    await owner.post(`/repos/${name}/milestones`, { title: '1.0' });
    const input = { labels: ['bug'], assignees: ['own'], milestone: 1 };
    assert.equal((await outsider.patch(`/repos/${name}/issues/1`, input)).status, 404);
    assert.equal((await owner.patch(`/repos/${name}/issues/1`, input)).status, 200);
    await owner.put(`/repos/${name}/issues/1/lock`, { lock_reason: 'too heated' });
    const [listed] = (await owner.get(`/repos/${name}/pulls`)).body;
    const issue = (await owner.get(`/repos/${name}/issues/1`)).body;
    for (const pull of [listed, (await owner.get(path)).body]) {
      assert.equal(pull.labels[0].name, 'bug');
      assert.deepEqual(pull.labels, issue.labels);
      assert.deepEqual([pull.assignee.login, pull.assignees.length], ['own', 1]);
      assert.deepEqual(pull.milestone, issue.milestone);
      assert.deepEqual([pull.locked, pull.active_lock_reason], [true, 'too heated']);
    }
  });

  test('an issue becomes a pull and keeps number, title, body, labels and author', async () => {
    const { name, base } = await openPull(forge, owner);
    const second = await owner.post(`/repos/${name}/issues`, {
      title: 'Wanted',
      body: 'Please',
      labels: ['wish'],
      assignees: ['own'],
    });
    assert.equal(second.body.number, 2);
    await commitFiles(forge, name, 'next', { other: 'x\n' }, { parents: [base] });
    const unknown = await owner.post(`/repos/${name}/pulls`, {
      issue: 9,
      head: 'next',
      base: 'main',
    });
    assert.equal(unknown.status, 422);
    const huge = { issue: 1e30, head: 'next', base: 'main' };
    assert.equal((await owner.post(`/repos/${name}/pulls`, huge)).status, 422);
    const created = await owner.post(`/repos/${name}/pulls`, {
      issue: 2,
      head: 'next',
      base: 'main',
    });
    assert.equal(created.status, 201, created.text);
    const { number, title, body, labels, assignee, id } = created.body;
    assert.deepEqual(
      [number, title, body, labels[0].name, assignee.login, id],
      [2, 'Wanted', 'Please', 'wish', 'own', second.body.id],
    );
    assert.ok((await owner.get(`/repos/${name}/issues/2`)).body.pull_request);
    assert.equal((await owner.get(`/repos/${name}`)).body.open_issues_count, 2);
    const again = await owner.post(`/repos/${name}/pulls`, {
      issue: 2,
      head: 'next',
      base: 'main',
    });
    assert.equal(again.status, 422);
  });

  test("converting another user's issue into a pull needs the triage permission", async () => {
    const { name, base } = await openPull(forge, owner);
    await owner.post(`/repos/${name}/issues`, { title: 'Wanted' });
    const fork = await outsider.post(`/repos/${name}/forks`);
    assert.equal(fork.status, 202, fork.text);
    await commitFiles(forge, fork.body.full_name, 'mine', { mine: 'x\n' }, { parents: [base] });
    const body = { issue: 2, head: 'stranger:mine', base: 'main' };
    const refused = await outsider.post(`/repos/${name}/pulls`, body);
    assert.equal(refused.status, 403, refused.text);
    assert.equal('pull_request' in (await owner.get(`/repos/${name}/issues/2`)).body, false);
    await outsider.post(`/repos/${name}/issues`, { title: 'Own wish' });
    const created = await outsider.post(`/repos/${name}/pulls`, { ...body, issue: 3 });
    assert.deepEqual([created.status, created.body.title], [201, 'Own wish']);
  });

  test('an author is what the repository knows of the person', async () => {
    const organization = await forge.organization(owner);
    const member = await forge.user();
    const helper = await forge.user();
    await writeAccounts(forge.database, (sql) =>
      putMember(sql, organization.id, member.account.id, 'member'),
    );
    const path = `/repos/${organization.login}/associated`;
    await owner.post(`/orgs/${organization.login}/repos`, { name: 'associated' });
    const id = await repositoryId(forge, `${organization.login}/associated`);
    await writeRepository(forge.database, id, (sql) =>
      putCollaborator(sql, {
        repositoryId: id,
        accountId: helper.account.id,
        permission: 'read',
        now: 0,
      }),
    );
    const association = async (user: TestUser): Promise<string> =>
      (await user.post(`${path}/issues`, { title: 'x' })).body.author_association;
    assert.equal(await association(owner), 'MEMBER');
    assert.equal(await association(member), 'MEMBER');
    assert.equal(await association(helper), 'COLLABORATOR');
    assert.equal(await association(outsider), 'NONE');
  });

  test('every URL of its issue that a pull gives out answers', async () => {
    const { name, path } = await openPull(forge, owner);
    await owner.post(`/repos/${name}/milestones`, { title: '1.0' });
    await owner.patch(`/repos/${name}/issues/1`, { labels: ['a/b c'], milestone: 1 });
    const pull = (await owner.get(path)).body;
    const issue = (await owner.get(`/repos/${name}/issues/1`)).body;
    for (const url of [
      pull.issue_url,
      pull.comments_url,
      pull.labels[0].url,
      pull.milestone.url,
      pull.milestone.labels_url,
      issue.events_url,
      issue.labels_url.replace('{/name}', ''),
      issue.pull_request.url,
    ]) {
      assert.equal((await owner.get(url.replace('http://forge.test', ''))).status, 200, url);
    }
  });

  test('a pull is renamed, closed and reopened as an issue, and each is recorded once', async () => {
    const { name, path } = await openPull(forge, owner);
    const issue = `/repos/${name}/issues/1`;
    assert.equal((await owner.patch(issue, { title: 'Better', state: 'closed' })).status, 200);
    assert.deepEqual(
      [(await owner.get(path)).body.title, (await owner.get(path)).body.state],
      ['Better', 'closed'],
    );
    await owner.patch(path, { state: 'closed' });
    await owner.patch(path, { state: 'open', title: 'Better' });
    const events = await owner.get(`${issue}/events`);
    assert.deepEqual(eventNames(events), ['renamed', 'closed', 'reopened']);
    assert.deepEqual(events.body[0].rename, { from: 'Add a file', to: 'Better' });
    assert.equal(events.body[1].actor.login, 'own');
  });

  test('a merge is recorded with its commit, and then as the closing it is', async () => {
    const { name, path } = await openPull(forge, owner);
    await owner.put(`/repos/${name}/issues/1/lock`, { lock_reason: 'resolved' });
    forge.clock.advance(1000);
    const { sha } = (await owner.put(`${path}/merge`)).body;
    const events = await owner.get(`/repos/${name}/issues/1/events`);
    assert.deepEqual(eventNames(events), ['locked', 'merged', 'closed']);
    const [, merged] = events.body;
    assert.equal(merged.commit_id, sha);
    assert.equal((await owner.get(merged.commit_url.replace('http://forge.test', ''))).status, 200);
    const all = await owner.get(`/repos/${name}/issues/events`);
    assert.deepEqual(eventNames(all), ['closed', 'merged', 'locked']);
    assert.equal(all.body[0].issue.number, 1);
    const one = await owner.get(merged.url.replace('http://forge.test', ''));
    assert.deepEqual([one.body.id, one.body.issue.number], [merged.id, 1]);
    assert.equal((await owner.get(`/repos/${name}/issues/events/999999`)).status, 404);
    const issue = (await owner.get(`/repos/${name}/issues/1`)).body;
    assert.ok(issue.pull_request.merged_at);
    assert.equal(issue.closed_by.login, 'own');
  });
});
