import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createAbuseLimits } from '../routing/abuse-limit.ts';
import { countersInMemory } from '../testing/counters-in-memory.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('a rate limit that processes share', () => {
  let one: TestForge;
  let other: TestForge;
  let away = false;

  before(async () => {
    const counters = countersInMemory(() => away);
    one = await startTestForge({ rateLimitAnonymous: 4 }, { counters });
    other = await startTestForge({ rateLimitAnonymous: 4 }, { counters });
  });
  after(() => Promise.all([one.close(), other.close()]));

  test('is used up by all of them together, and given back by 304', async () => {
    const first = await one.anonymous.get('/meta');
    assert.equal(first.headers['x-ratelimit-remaining'], '3');
    const second = await other.anonymous.get('/meta');
    assert.equal(second.headers['x-ratelimit-remaining'], '2');
    const unchanged = await one.anonymous.get('/meta', {
      'if-none-match': first.headers['etag'] ?? '',
    });
    assert.deepEqual([unchanged.status, unchanged.headers['x-ratelimit-remaining']], [304, '2']);
    assert.equal((await other.anonymous.get('/rate_limit')).body.rate.used, 2);
    await one.anonymous.get('/meta');
    await other.anonymous.get('/meta');
    for (const forge of [one, other]) {
      const refused = await forge.anonymous.get('/meta');
      assert.deepEqual([refused.status, refused.headers['x-ratelimit-used']], [403, '4']);
    }
  });

  test('is each one’s own while the counters are away', async () => {
    away = true;
    const alone = await one.anonymous.get('/meta');
    assert.deepEqual([alone.status, alone.headers['x-ratelimit-remaining']], [200, '3']);
  });
});

describe('the limits against abuse that processes share', () => {
  let one: TestForge;
  let other: TestForge;
  let away = false;

  before(async () => {
    const counters = countersInMemory(() => away);
    const settings = { abuseLimits: true, pollingLimit: 4 };
    one = await startTestForge(settings, { counters });
    other = await startTestForge(settings, { counters });
  });
  after(() => Promise.all([one.close(), other.close()]));

  /** Both have a database of their own, whose first user is the same to the counters. */
  async function theSameUser(): Promise<readonly [TestUser, TestUser]> {
    const users = [await one.user(), await other.user()] as const;
    assert.equal(users[0].account.id, users[1].account.id);
    return users;
  }

  test('count what is created, also by mutations, and nothing more when it is too much', async () => {
    const [atOne, atOther] = await theSameUser();
    // Refused for its body, but only after it was counted.
    for (let turn = 0; turn < 40; turn += 1) {
      assert.equal((await atOne.post('/user/repos', {})).status, 422);
      assert.equal((await atOther.post('/user/repos', {})).status, 422);
    }
    const query = 'mutation { addStar(input: { starrableId: "x" }) { clientMutationId } }';
    for (let turn = 0; turn < 2; turn += 1) {
      for (const user of [atOne, atOther]) {
        const refused = await user.post('/user/repos', {});
        assert.deepEqual([refused.status, refused.headers['retry-after']], [403, '60']);
        assert.match(refused.body.message, /content creation/);
        assert.equal((await user.post('/graphql', { query })).status, 403);
      }
    }
    away = true;
    assert.equal((await atOne.post('/user/repos', {})).status, 422);
    away = false;
    assert.equal((await atOne.post('/user/repos', {})).status, 403);
  });

  test('count requests for one URL', async () => {
    const [atOne, atOther] = await theSameUser();
    for (let turn = 0; turn < 2; turn += 1) {
      assert.equal((await atOne.get('/user?secret=1')).status, 200);
      assert.equal((await atOther.get('/user?secret=1')).status, 200);
    }
    for (const user of [atOne, atOther, atOne]) {
      const refused = await user.get('/user?secret=1');
      assert.deepEqual([refused.status, refused.headers['retry-after']], [403, '60']);
      assert.match(refused.body.message, /requesting the same URL too often/);
      assert.equal((await user.get('/user')).status, 200);
    }
  });

  test('divide the requests at the same time among the servers', () => {
    let servers = 3;
    const counters = countersInMemory(() => false);
    const limits = createAbuseLimits({ counters, servers: () => servers });
    const running = Array.from({ length: 33 }, () => limits.enter('user 1'));
    assert.ok(running.every(Boolean));
    assert.equal(limits.enter('user 1'), undefined);
    assert.ok(limits.enter('user 2'));
    servers = 2;
    assert.ok(limits.enter('user 1'));
    // Before the first look at the cluster.
    servers = 0;
    assert.ok(limits.enter('user 1'));
    servers = 500;
    assert.ok(limits.enter('user 3'));
    assert.equal(limits.enter('user 3'), undefined);
  });
});
