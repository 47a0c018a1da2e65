import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import type { Sql } from '#platform/database/database.ts';

import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { mentionsIn } from './mentions.ts';
import { notifyOf } from './notify.ts';

describe('what users are notified of', () => {
  let forge: TestForge;
  let owner: TestUser;
  let author: TestUser;
  let other: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    author = await forge.user('author');
    other = await forge.user('other');
  });
  after(() => forge.close());
  beforeEach(async () => {
    for (const user of [owner, author, other]) await user.put('/notifications');
    forge.clock.advance(1000);
  });

  /** The reasons of the unread notifications in a repository. */
  async function reasonsFor(user: TestUser, name: string): Promise<string[]> {
    const { body } = await user.get('/notifications');
    return body
      .filter(
        (thread: { repository: { full_name: string } }) => thread.repository.full_name === name,
      )
      .map((thread: { reason: string }) => thread.reason);
  }

  async function openIssue(name: string, body = 'It fails.'): Promise<string> {
    const opened = await author.post(`/repos/${name}/issues`, { title: 'Fails', body });
    assert.equal(opened.status, 201, opened.text);
    return `/repos/${name}/issues/${opened.body.number}`;
  }

  test('an issue: those who watch the repository, as of an issue', async () => {
    const name = await forge.repository(owner);
    await openIssue(name);
    const [thread] = (await owner.get('/notifications')).body;
    assert.deepEqual([thread.reason, thread.subject.type], ['subscribed', 'Issue']);
    assert.deepEqual(await reasonsFor(author, name), []);
    assert.deepEqual(await reasonsFor(other, name), []);
  });

  test('a comment: the author, and from then on who commented', async () => {
    const name = await forge.repository(owner);
    const issue = await openIssue(name);
    await other.post(`${issue}/comments`, { body: 'Here, too.' });
    assert.deepEqual(await reasonsFor(author, name), ['author']);
    assert.deepEqual(await reasonsFor(other, name), []);
    assert.deepEqual((await other.get('/notifications?all=true')).body, []);
    const participating = (await owner.get('/notifications?participating=true')).body;
    assert.deepEqual(participating, []);
    await owner.post(`${issue}/comments`, { body: 'I see it.' });
    assert.deepEqual(await reasonsFor(other, name), ['comment']);
    await other.post(`${issue}/comments`, { body: 'Good.' });
    assert.deepEqual(await reasonsFor(owner, name), ['comment']);
  });

  test('closing and reopening: the author', async () => {
    const name = await forge.repository(owner);
    const issue = await openIssue(name);
    await owner.patch(issue, { state: 'closed' });
    assert.deepEqual(await reasonsFor(author, name), ['author']);
    await author.put('/notifications');
    await owner.patch(issue, { state: 'open' });
    assert.deepEqual(await reasonsFor(author, name), ['author']);
  });

  test('edits, labels and locks: nobody', async () => {
    const name = await forge.repository(owner);
    const issue = await openIssue(name);
    await owner.patch(issue, { title: 'Fails often', labels: ['bug'] });
    await owner.put(`${issue}/lock`, { lock_reason: 'resolved' });
    assert.deepEqual(await reasonsFor(author, name), []);
  });

  test('a mention: the user, and further comments as well', async () => {
    const name = await forge.repository(owner);
    const issue = await openIssue(name, 'Ask @Other, `@author` or @owner/team.');
    assert.deepEqual(await reasonsFor(other, name), ['mention']);
    await other.put('/notifications');
    await author.post(`${issue}/comments`, { body: 'Any news?' });
    assert.deepEqual(await reasonsFor(other, name), ['mention']);
  });

  test('a mention in a private repository: only who may read it', async () => {
    const name = await forge.repository(owner, { private: true });
    await owner.post(`/repos/${name}/issues`, { title: 'Secret', body: 'Ask @other.' });
    assert.deepEqual(await reasonsFor(other, name), []);
    assert.doesNotMatch((await other.get('/notifications?all=true')).text, /Secret/);
  });

  test('an assignment: the assignee, and nobody else', async () => {
    const name = await forge.repository(owner);
    await owner.put(`/repos/${name}/collaborators/other`, { permission: 'push' });
    const [invitation] = (await other.get('/user/repository_invitations')).body;
    await other.patch(`/user/repository_invitations/${invitation.id}`);
    const issue = await openIssue(name);
    await owner.post(`${issue}/assignees`, { assignees: ['other'] });
    assert.deepEqual(await reasonsFor(other, name), ['assign']);
    assert.deepEqual(await reasonsFor(author, name), []);
  });

  test('a request for a review, and the review', async () => {
    const name = await forge.repository(owner);
    await owner.put(`/repos/${name}/collaborators/other`, { permission: 'push' });
    const [invitation] = (await other.get('/user/repository_invitations')).body;
    await other.patch(`/user/repository_invitations/${invitation.id}`);
    const base = await commitFiles(forge, name, 'main', { a: 'a' });
    await commitFiles(forge, name, 'topic', { b: 'b' }, { parents: [base] });
    const pull = { title: 'Change', head: 'topic', base: 'main' };
    const { number } = (await owner.post(`/repos/${name}/pulls`, pull)).body;
    const path = `/repos/${name}/pulls/${number}`;
    await owner.post(`${path}/requested_reviewers`, { reviewers: ['other'] });
    assert.deepEqual(await reasonsFor(other, name), ['review_requested']);
    await other.post(`${path}/reviews`, { event: 'COMMENT', body: 'Why?' });
    assert.deepEqual(await reasonsFor(owner, name), ['author']);
  });

  test('a request for a review by a team: its members but the actor, however many in one statement', async () => {
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/repos', { name: 'tools' });
    await owner.post('/orgs/acme/teams', { name: 'readers', privacy: 'closed' });
    await owner.put('/orgs/acme/teams/readers/repos/acme/tools', { permission: 'push' });
    for (const user of [owner, author, other]) {
      await owner.put(`/orgs/acme/teams/readers/memberships/${user.login}`);
    }
    const base = await commitFiles(forge, 'acme/tools', 'main', { a: 'a' });
    await commitFiles(forge, 'acme/tools', 'topic', { b: 'b' }, { parents: [base] });
    const pull = { title: 'Change', head: 'topic', base: 'main' };
    const { number, id } = (await owner.post('/repos/acme/tools/pulls', pull)).body;
    const requests = `/repos/acme/tools/pulls/${number}/requested_reviewers`;
    const requested = await owner.post(requests, { team_reviewers: ['readers'] });
    const [{ id: teamId }] = requested.body.requested_teams;
    let statements = 0;
    await forge.database.write(async (sql) => {
      const counting: Sql = {
        ...sql,
        run: (...call) => {
          statements += 1;
          return sql.run(...call);
        },
        all: () => assert.fail('the members need not be read'),
      };
      const request = { event: 'pull_request', action: 'review_requested', pullId: id } as const;
      const event = { ...request, actorId: owner.account.id, about: { teamId } };
      const repository = await repositoryId(forge, 'acme/tools');
      await notifyOf(counting, repository, event, forge.clock.now());
    });
    assert.equal(statements, 1);
    for (const user of [author, other]) {
      assert.deepEqual(await reasonsFor(user, 'acme/tools'), ['review_requested'], user.login);
    }
    assert.deepEqual(await reasonsFor(owner, 'acme/tools'), []);
  });

  test('nothing of threads and repositories that a user ignores', async () => {
    const name = await forge.repository(owner);
    const issue = await openIssue(name);
    const [thread] = (await owner.get('/notifications')).body;
    await owner.put(`/notifications/threads/${thread.id}/subscription`, { ignored: true });
    await owner.put('/notifications');
    await author.post(`${issue}/comments`, { body: '@owner?' });
    assert.deepEqual(await reasonsFor(owner, name), []);
    await other.put(`/repos/${name}/subscription`, { ignored: true });
    await author.post(`${issue}/comments`, { body: '@other?' });
    assert.deepEqual(await reasonsFor(other, name), []);
  });
});

describe('mentions in a text', () => {
  for (const [text, expected] of [
    ['@a and @B-c, @a again', ['a', 'b-c']],
    ['me@example.com, a/@b, @c/team, @d-e_', []],
    ['`@a` and ```\n@b\n``` and @c', ['c']],
    ['```\n@a without an end', []],
    [Array.from({ length: 60 }, (_, index) => `@u${index}`).join(' '), 50],
  ] as const) {
    test(text.slice(0, 40), () => {
      const found = mentionsIn(text);
      assert.deepEqual(typeof expected === 'number' ? found.length : found, expected);
    });
  }

  test('are found in linear time', () => {
    for (const text of ['`'.repeat(65_536), '```@'.repeat(16_384), '@-'.repeat(32_768)])
      mentionsIn(text);
  });
});
