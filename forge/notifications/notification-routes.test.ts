import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openPull, untilChecked } from '../testing/pull-fixture.ts';
import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('notifications', () => {
  let forge: TestForge;
  let owner: TestUser;
  let author: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    author = await forge.user('author');
  });
  after(() => forge.close());

  /** A pull of the author's into the owner's repository. */
  async function authoredPull(): Promise<{ name: string; path: string }> {
    const name = await forge.repository(owner);
    await owner.put(`/repos/${name}/collaborators/author`, { permission: 'push' });
    const [invitation] = (await author.get('/user/repository_invitations')).body;
    await author.patch(`/user/repository_invitations/${invitation.id}`);
    const base = await commitFiles(forge, name, 'main', { a: 'a' });
    await commitFiles(forge, name, 'topic', { b: 'b' }, { parents: [base] });
    const pull = { title: 'Told', head: 'topic', base: 'main' };
    const { body } = await author.post(`/repos/${name}/pulls`, pull);
    forge.clock.advance(1000);
    return { name, path: `/repos/${name}/pulls/${body.number}` };
  }

  test('notifications are for their account, with a scope for them', async () => {
    await authoredPull();
    assert.equal((await forge.anonymous.get('/notifications')).status, 401);
    const narrow = await forge.withScopes(owner, ['user']);
    assert.equal((await narrow.get('/notifications')).status, 404);
    const [thread] = (await owner.get('/notifications')).body;
    const path = `/notifications/threads/${thread.id}`;
    assert.equal((await author.get(path)).status, 404);
    assert.equal((await author.patch(path)).status, 404);
    assert.equal((await author.get(`${path}/subscription`)).status, 404);
    assert.equal((await owner.get('/notifications?since=yesterday')).status, 422);
    await owner.put('/notifications');
  });

  test('an opened pull notifies the owner, a merged one its author', async () => {
    const { name, path } = await authoredPull();
    const list = await owner.get('/notifications');
    assert.equal(list.headers['x-poll-interval'], '60');
    assert.equal(list.body.length, 1);
    assert.equal(list.body[0].repository.full_name, name);
    assert.equal(list.body[0].subject.type, 'PullRequest');
    assert.equal((await author.get('/notifications')).body.length, 0);
    await untilChecked(forge, owner, path);
    assert.equal((await owner.put(`${path}/merge`, {})).status, 200);
    const [sent] = (await author.get('/notifications?participating=true')).body;
    assert.equal(sent.reason, 'author');
    assert.equal(sent.subject.title, 'Told');
    await owner.put('/notifications');
  });

  test('users get no notification of their own actions', async () => {
    const lone = await forge.user('lone');
    const { path } = await openPull(forge, lone);
    await untilChecked(forge, lone, path);
    assert.equal((await lone.put(`${path}/merge`, {})).status, 200);
    assert.deepEqual((await lone.get('/notifications?all=true')).body, []);
  });

  test('an unchanged list is not sent again', async () => {
    // Until here, other lists of this second were sent.
    forge.clock.advance(1000);
    await authoredPull();
    const list = await owner.get('/notifications');
    const since = list.headers['last-modified'];
    assert.ok(since);
    assert.equal((await owner.get('/notifications', { 'if-modified-since': since })).status, 304);
    await owner.put('/notifications');
    assert.equal((await owner.get('/notifications', { 'if-modified-since': since })).status, 200);
  });

  test('what is read is left out, unless all is asked for', async () => {
    await authoredPull();
    const [thread] = (await owner.get('/notifications')).body;
    const path = `/notifications/threads/${thread.id}`;
    assert.equal((await owner.patch(path)).status, 205);
    assert.equal((await owner.get('/notifications')).body.length, 0);
    assert.equal((await owner.get(path)).body.unread, false);
    assert.ok((await owner.get('/notifications?all=true')).body.length > 0);
    await authoredPull();
    assert.equal((await owner.put('/notifications')).status, 205);
    assert.equal((await owner.get('/notifications')).body.length, 0);
  });

  test('a thread can be left alone and taken up again', async () => {
    const { path: pull } = await authoredPull();
    await untilChecked(forge, owner, pull);
    await owner.put(`${pull}/merge`, {});
    const [thread] = (await author.get('/notifications')).body;
    const path = `/notifications/threads/${thread.id}/subscription`;
    assert.equal((await author.get(path)).body.subscribed, true);
    assert.equal((await author.put(path, { ignored: true })).body.ignored, true);
    assert.equal((await author.get(path)).body.ignored, true);
    assert.equal((await author.put(path, { ignored: false })).body.subscribed, true);
    assert.equal((await author.delete(path)).status, 204);
  });

  test('a user who lost access to a repository gets no more notifications of it', async () => {
    const { name, path } = await authoredPull();
    await untilChecked(forge, owner, path);
    await owner.put(`${path}/merge`, {});
    const sent = (await author.get('/notifications?all=true')).body.length;
    await owner.patch(`/repos/${name}`, { private: true });
    await owner.delete(`/repos/${name}/collaborators/author`);
    assert.equal((await author.get('/notifications?all=true')).body.length, sent - 1);
  });

  test('notifications of a repository are its readers’ own, and are marked as read by themselves', async () => {
    const one = await authoredPull();
    const other = await authoredPull();
    const path = `/repos/${one.name}/notifications`;
    assert.equal((await forge.anonymous.get(path)).status, 401);
    const narrow = await forge.withScopes(owner, ['user']);
    assert.equal((await narrow.get(path)).status, 404);
    const scoped = await forge.withScopes(owner, ['notifications']);
    const listed = await scoped.get(path);
    assert.equal(listed.headers['x-poll-interval'], '60');
    assert.deepEqual(
      listed.body.map(
        (thread: { repository: { full_name: string } }) => thread.repository.full_name,
      ),
      [one.name],
    );
    assert.equal((await owner.put(path, { last_read_at: 'yesterday' })).status, 422);
    assert.equal((await scoped.put(path)).status, 205);
    assert.deepEqual((await owner.get(path)).body, []);
    assert.equal((await owner.get(`/repos/${other.name}/notifications`)).body.length, 1);
  });
});
