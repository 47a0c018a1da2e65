import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { SharedCounters } from '#platform/shared-counters.ts';

import { startTestForge, type TestForge } from '../testing/test-forge.ts';

describe('a budget that processes share', () => {
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

function countersInMemory(isAway: () => boolean): SharedCounters {
  const sums = new Map<string, number>();
  return {
    async add(key, amount, lifeMilliseconds) {
      if (isAway()) return undefined;
      const sum = (sums.get(key) ?? 0) + amount;
      sums.set(key, sum);
      return { sum, leftMilliseconds: lifeMilliseconds };
    },
    close() {},
  };
}
