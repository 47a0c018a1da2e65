import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openPull } from '../testing/pull-fixture.ts';
import { branchRef, noObject, parseBranchName } from '../git/names.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import { activitiesMax } from '../events/activity.ts';

const main = parseBranchName('main') ?? assert.fail();
const day = 24 * 60 * 60_000;

describe('the events of a repository', () => {
  let forge: TestForge;
  let owner: TestUser;
  let guest: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    guest = await forge.user('guest');
  });
  after(() => forge.close());

  async function typesOf(name: string, who = owner): Promise<string[]> {
    const { body } = await who.get(`/repos/${name}/events`);
    return body.map((event: { type: string; payload: { action?: string } }) =>
      [event.type, event.payload.action ?? []].flat().join(' '),
    );
  }

  test('are not shown to those who may not see it', async () => {
    const name = await forge.repository(owner, { private: true });
    assert.equal((await forge.anonymous.get(`/repos/${name}/events`)).status, 404);
    assert.equal((await guest.get(`/repos/${name}/events`)).status, 404);
    const [born] = (await owner.get(`/repos/${name}/events`)).body;
    assert.equal(born.public, false);
  });

  test('begin with its creation and list pushes, the latest first', async () => {
    const name = await forge.repository(owner);
    const head = await commitFiles(forge, name, 'main', { a: 'a' });
    const events = (await forge.anonymous.get(`/repos/${name}/events`)).body;
    assert.deepEqual(
      events.map((event: { type: string }) => event.type),
      ['CreateEvent', 'PushEvent', 'CreateEvent'],
    );
    assert.equal(events[0].payload.ref, 'main');
    assert.equal(events[1].payload.head, head);
    assert.equal(events[1].repo.name, name);
    assert.equal(events[1].actor.login, 'owner');
    assert.equal(events[2].payload.ref_type, 'repository');
  });

  test('list the changes of a pull and its comments', async () => {
    const { name, number, path } = await openPull(forge, owner);
    await guest.post(`/repos/${name}/issues/${number}/comments`, { body: 'Nice' });
    await guest.post(`${path}/reviews`, { event: 'APPROVE' });
    await commitFiles(forge, name, 'topic', { more: 'more' });
    await owner.patch(path, { state: 'closed' });
    const types = await typesOf(name);
    assert.deepEqual(types.slice(0, 5), [
      'PullRequestEvent closed',
      'PushEvent',
      'PullRequestReviewEvent created',
      'IssueCommentEvent created',
      'PullRequestEvent opened',
    ]);
    const events = (await owner.get(`/repos/${name}/events`)).body;
    assert.equal(events[0].payload.pull_request.number, number);
    assert.equal(events[2].payload.review.user.login, 'guest');
    assert.equal(events[3].payload.comment.body, 'Nice');
    assert.equal(events[3].payload.issue.number, number);
  });

  test('list issues, new members and forks', async () => {
    const name = await forge.repository(owner, { init: true });
    const { body: issue } = await guest.post(`/repos/${name}/issues`, { title: 'Why' });
    await owner.patch(`/repos/${name}/issues/${issue.number}`, { state: 'closed' });
    const { body: invitation } = await owner.put(`/repos/${name}/collaborators/guest`);
    await guest.patch(`/user/repository_invitations/${invitation.id}`);
    await guest.post(`/repos/${name}/forks`);
    assert.deepEqual((await typesOf(name)).slice(0, 4), [
      'ForkEvent forked',
      'MemberEvent added',
      'IssuesEvent closed',
      'IssuesEvent opened',
    ]);
  });

  test('omit a fork that is hidden from the reader', async () => {
    const name = await forge.repository(owner, { private: true, init: true });
    for (const login of ['guest', 'forker']) {
      const user = login === 'guest' ? guest : await forge.user(login);
      const { body } = await owner.put(`/repos/${name}/collaborators/${login}`);
      await user.patch(`/user/repository_invitations/${body.id}`);
      if (login === 'guest') continue;
      assert.equal((await user.post(`/repos/${name}/forks`)).status, 202);
      assert.equal((await typesOf(name, user))[0], 'ForkEvent forked');
    }
    assert.ok(!(await typesOf(name, guest)).some((type) => type.startsWith('ForkEvent')));
  });

  test('a comment that was deleted is not shown any more', async () => {
    const { name, number } = await openPull(forge, owner);
    const path = `/repos/${name}/issues/${number}/comments`;
    const { body } = await owner.post(path, { body: 'Oops' });
    await owner.delete(`/repos/${name}/issues/comments/${body.id}`);
    assert.ok(!(await typesOf(name)).some((type) => type.startsWith('IssueComment')));
  });

  test('come thirty a page whatever is asked for, and no more than 300 of 90 days', async () => {
    const name = await forge.repository(owner);
    const id = await repositoryId(forge, name);
    const pushed = {
      event: 'push',
      ref: branchRef(main),
      before: noObject,
      after: noObject,
    } as const;
    await forge.database.write(async (sql) => {
      for (let number = 0; number < activitiesMax + 10; number += 1) {
        await emitEvent(sql, id, { ...pushed, actorId: owner.account.id }, forge.clock.now());
      }
    });
    const first = await owner.get(`/repos/${name}/events?per_page=100`);
    assert.equal(first.body.length, 30);
    assert.match(first.headers['link'] ?? '', /page=10[^>]*>; rel="last"/);
    const last = await owner.get(`/repos/${name}/events?page=10`);
    assert.equal(last.body.length, 30);
    assert.equal((await owner.get(`/repos/${name}/events?page=11`)).body.length, 0);
    forge.clock.advance(91 * day);
    assert.deepEqual((await owner.get(`/repos/${name}/events`)).body, []);
  });

  test('say how often to ask, and that nothing is new', async () => {
    const name = await forge.repository(owner);
    const first = await owner.get(`/repos/${name}/events`);
    assert.equal(first.headers['x-poll-interval'], '60');
    const etag = first.headers['etag'] ?? '';
    const path = `/repos/${name}/events`;
    assert.equal((await owner.get(path, { 'if-none-match': etag })).status, 304);
    await commitFiles(forge, name, 'main', { a: 'a' });
    assert.equal((await owner.get(path, { 'if-none-match': etag })).status, 200);
  });
});
