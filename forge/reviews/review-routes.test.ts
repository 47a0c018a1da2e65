import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { putCollaborator } from '../repositories/collaborator-store.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { writeRepository } from '../events/invalidate.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('reviews', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
  });
  after(() => forge.close());

  async function collaborator(name: string, permission: 'read' | 'write'): Promise<TestUser> {
    const user = await forge.user();
    const id = await repositoryId(forge, name);
    const entry = { repositoryId: id, accountId: user.account.id, permission, now: 0 };
    await writeRepository(forge.database, id, (sql) => putCollaborator(sql, entry));
    return user;
  }

  test('reviews that cannot be given are refused', async () => {
    const { path, name } = await openPull(forge, owner);
    const reviews = `${path}/reviews`;
    assert.equal((await forge.anonymous.post(reviews, { event: 'APPROVE' })).status, 401);
    assert.equal((await owner.post(`/repos/${name}/pulls/99/reviews`, {})).status, 404);
    for (const body of [
      { event: 'LIKE' },
      { event: 'COMMENT' },
      { event: 'REQUEST_CHANGES', body: ' ' },
      { event: 'APPROVE', commit_id: '1'.repeat(40) },
      { event: 'APPROVE', commit_id: 'x' },
      { event: 'APPROVE', comments: [{ path: 'a', position: 1, body: 'x' }] },
    ]) {
      assert.equal((await outsider.post(reviews, body)).status, 422, JSON.stringify(body));
    }
    const own = await owner.post(reviews, { event: 'APPROVE' });
    assert.equal(own.status, 422);
    assert.equal(own.body.errors[0].message, 'Can not approve your own pull request');
    const hidden = await openPull(forge, owner, { private: true });
    assert.equal((await outsider.get(`${hidden.path}/reviews`)).status, 404);
    assert.deepEqual((await owner.get(reviews)).body, []);
  });

  test('a draft of a review is seen by its author only, until it is submitted', async () => {
    const { path, head } = await openPull(forge, owner);
    const draft = await outsider.post(`${path}/reviews`, { body: 'soon' });
    assert.equal(draft.status, 200, draft.text);
    assert.deepEqual([draft.body.state, draft.body.submitted_at], ['PENDING', undefined]);
    const review = `${path}/reviews/${draft.body.id}`;
    assert.equal((await outsider.post(`${path}/reviews`, {})).status, 422);
    assert.equal((await owner.get(review)).status, 404);
    assert.equal((await owner.post(`${review}/events`, { event: 'APPROVE' })).status, 404);
    assert.deepEqual((await owner.get(`${path}/reviews`)).body, []);
    assert.equal((await outsider.get(`${path}/reviews`)).body.length, 1);
    const submitted = await outsider.post(`${review}/events`, { event: 'COMMENT' });
    assert.equal(submitted.status, 200, submitted.text);
    assert.deepEqual(
      [submitted.body.state, submitted.body.body, submitted.body.commit_id],
      ['COMMENTED', 'soon', head],
    );
    assert.deepEqual((await owner.get(review)).body, submitted.body);
    assert.equal((await outsider.post(`${review}/events`, { event: 'APPROVE' })).status, 422);
    const dismissal = { message: 'x' };
    assert.equal((await owner.put(`${review}/dismissals`, dismissal)).status, 422);
  });

  test('only the present approvals of people who may push count for a merge', async () => {
    const { path, name } = await openPull(forge, owner);
    const helper = await collaborator(name, 'write');
    await owner.put(`/repos/${name}/branches/main/protection`, {
      required_status_checks: null,
      enforce_admins: true,
      required_pull_request_reviews: { dismiss_stale_reviews: true },
      restrictions: null,
    });
    const refusal = async (): Promise<string> => {
      const response = await owner.put(`${path}/merge`);
      assert.equal(response.status, 405, response.text);
      return response.body.message;
    };
    const missing = 'At least 1 approving review is required by reviewers with write access.';
    const say = (who: TestUser, event: string): ReturnType<TestUser['post']> =>
      who.post(`${path}/reviews`, { event, body: 'words' });
    await say(outsider, 'APPROVE');
    assert.equal(await refusal(), missing, 'a stranger does not count');
    await say(helper, 'REQUEST_CHANGES');
    assert.equal(await refusal(), 'Changes were requested by a reviewer with write access.');
    const approval = await say(helper, 'APPROVE');
    const dismissals = `${path}/reviews/${approval.body.id}/dismissals`;
    assert.equal((await outsider.put(dismissals, { message: 'no' })).status, 404);
    const dismissed = await owner.put(dismissals, { message: 'no' });
    assert.equal(dismissed.body.state, 'DISMISSED');
    assert.equal(await refusal(), missing);
    await say(helper, 'APPROVE');
    await commitFiles(forge, name, 'topic', { later: '1\n' });
    assert.equal(await refusal(), missing, 'the head is another one');
    await say(helper, 'APPROVE');
    assert.equal((await owner.put(`${path}/merge`)).status, 200);
  });

  test('an approval of what another branch would get does not count where stale ones do not', async () => {
    const { path, name, base, head } = await openPull(forge, owner);
    const helper = await collaborator(name, 'write');
    await owner.post(`/repos/${name}/git/refs`, { ref: 'refs/heads/next', sha: base });
    const protect = (dismiss_stale_reviews: boolean): ReturnType<TestUser['put']> =>
      owner.put(`/repos/${name}/branches/main/protection`, {
        required_status_checks: null,
        enforce_admins: true,
        required_pull_request_reviews: { dismiss_stale_reviews },
        restrictions: null,
      });
    await protect(true);
    await owner.patch(path, { base: 'next' });
    const pending = await helper.post(`${path}/reviews`, { commit_id: head });
    await owner.patch(path, { base: 'main', title: 'Into another branch' });
    const submitted = `${path}/reviews/${pending.body.id}/events`;
    assert.equal((await helper.post(submitted, { event: 'APPROVE' })).status, 200);
    const refused = await owner.put(`${path}/merge`);
    assert.equal(refused.status, 405, refused.text);
    assert.match(refused.body.message, /At least 1 approving review is required/);
    await protect(false);
    assert.equal((await owner.get(path)).body.mergeable_state, 'clean');
    await protect(true);
    await helper.post(`${path}/reviews`, { event: 'APPROVE' });
    await owner.patch(path, { base: 'main', body: 'The base is named again, and the same.' });
    assert.equal((await owner.put(`${path}/merge`)).status, 200);
  });

  test('reviews are asked of collaborators only', async () => {
    const { path, name } = await openPull(forge, owner);
    const requested = `${path}/requested_reviewers`;
    assert.equal((await outsider.post(requested, { reviewers: ['stranger'] })).status, 404);
    const sentence = `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${name} repository.`;
    for (const body of [
      { reviewers: ['stranger'] },
      { reviewers: ['nobody-at-all'] },
      { team_reviewers: ['team'] },
    ]) {
      const response = await owner.post(requested, body);
      assert.deepEqual([response.status, response.body.message], [422, sentence]);
    }
    assert.equal((await owner.post(requested, { reviewers: ['own'] })).status, 422);
    assert.deepEqual((await owner.get(requested)).body, { users: [], teams: [] });
  });

  test('a reviewer is asked until a review comes or the request is taken back', async () => {
    const { path, name } = await openPull(forge, owner);
    const requested = `${path}/requested_reviewers`;
    const [one, other] = [await collaborator(name, 'read'), await collaborator(name, 'write')];
    const response = await owner.post(requested, { reviewers: [one.login, other.login] });
    assert.equal(response.status, 201, response.text);
    assert.equal(response.headers['location'], `http://forge.test/api/v3${path}`);
    const requestedUsers = async (): Promise<string[]> =>
      (await outsider.get(path)).body.requested_reviewers.map(
        (user: { login: string }) => user.login,
      );
    assert.deepEqual(await requestedUsers(), [one.login, other.login]);
    assert.equal((await owner.get(requested)).body.users.length, 2);
    await one.post(`${path}/reviews`, { event: 'APPROVE' });
    assert.deepEqual(await requestedUsers(), [other.login]);
    assert.equal((await owner.delete(requested, { reviewers: [other.login] })).status, 200);
    assert.deepEqual(await requestedUsers(), []);
  });
});
