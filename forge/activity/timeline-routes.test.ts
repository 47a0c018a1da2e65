import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the timeline of an issue', () => {
  let forge: TestForge;
  let owner: TestUser;
  let guest: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    guest = await forge.user('guest');
  });
  after(() => forge.close());

  async function eventsOf(path: string): Promise<string[]> {
    const { status, body } = await owner.get(path);
    assert.equal(status, 200);
    return body.map((each: { event: string }) => each.event);
  }

  test('is for those who may read the repository', async () => {
    const name = await forge.repository(owner, { private: true });
    const { body } = await owner.post(`/repos/${name}/issues`, { title: 'Why' });
    assert.equal((await guest.get(`/repos/${name}/issues/${body.number}/timeline`)).status, 404);
    assert.equal((await owner.get(`/repos/${name}/issues/99/timeline`)).status, 404);
    assert.deepEqual(await eventsOf(`/repos/${name}/issues/${body.number}/timeline`), []);
  });

  test('has events and comments in their order', async () => {
    const name = await forge.repository(owner);
    const { body } = await owner.post(`/repos/${name}/issues`, { title: 'Why' });
    const at = `/repos/${name}/issues/${body.number}`;
    for (const step of [
      () => owner.post(`${at}/labels`, { labels: ['bug'] }),
      () => guest.post(`${at}/comments`, { body: 'Me, too' }),
      () => owner.patch(at, { state: 'closed' }),
    ]) {
      forge.clock.advance(1000);
      await step();
    }
    assert.deepEqual(await eventsOf(`${at}/timeline`), ['labeled', 'commented', 'closed']);
    const [, comment] = (await owner.get(`${at}/timeline`)).body;
    assert.deepEqual(
      [comment.body, comment.user.login, comment.actor.login],
      ['Me, too', 'guest', 'guest'],
    );
    assert.deepEqual(await eventsOf(`${at}/timeline?per_page=1&page=2`), ['commented']);
  });

  test('of a pull has its commits and reviews, and no drafts, on every page once', async () => {
    const { name, number, path } = await openPull(forge, owner);
    const at = `/repos/${name}/issues/${number}`;
    for (let round = 0; round < 3; round += 1) {
      forge.clock.advance(1000);
      await guest.post(`${at}/comments`, { body: `Comment ${round}` });
      forge.clock.advance(1000);
      await commitFiles(forge, name, 'topic', { more: `${round}` });
    }
    forge.clock.advance(1000);
    await guest.post(`${path}/reviews`, { event: 'APPROVE' });
    await guest.post(`${path}/reviews`, { body: 'Draft' });
    const all = await eventsOf(`${at}/timeline?per_page=100`);
    const { body: commits } = await owner.get(`${path}/commits`);
    const pushed = Array.from({ length: commits.length - 3 }, () => 'committed');
    const rounds = Array.from({ length: 3 }, () => ['commented', 'committed']).flat();
    assert.deepEqual(all, [...pushed, ...rounds, 'reviewed']);
    const { body: whole } = await owner.get(`${at}/timeline?per_page=100`);
    for (const size of [1, 2, 3]) {
      const paged: unknown[] = [];
      for (let page = 1; paged.length < whole.length && page <= whole.length; page += 1) {
        paged.push(...(await owner.get(`${at}/timeline?per_page=${size}&page=${page}`)).body);
      }
      assert.deepEqual(paged, whole, `pages of ${size}`);
    }
    const last = await owner.get(`${at}/timeline?per_page=2`);
    assert.match(
      last.headers['link'] ?? '',
      new RegExp(`page=${Math.ceil(whole.length / 2)}[^>]*>; rel="last"`),
    );
    const committed = whole.find((each: { event: string }) => each.event === 'committed');
    assert.equal(committed.sha, commits[0].sha);
  });
});
