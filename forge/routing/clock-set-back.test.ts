import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createFailureWatch } from '../auth/lockout.ts';
import { createPollingLimit } from '../http/polling-limit.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import { testSettings } from '../testing/test-ports.ts';
import { createAbuseLimits } from './abuse-limit.ts';

const future = Date.parse('2100-01-01T00:00:00Z');
const present = Date.parse('2026-01-01T00:00:00Z');

describe('after the clock was set back', () => {
  it('a lock of the future is over, and so are the failures', () => {
    const watch = createFailureWatch(3, 10);
    for (let times = 0; times < 3; times += 1) watch.fail('ada', future);
    assert.equal(watch.left('ada', future), 0);
    assert.equal(watch.left('ada', present), 3);
    watch.fail('bob', future);
    assert.equal(watch.left('bob', present), 3);
  });

  it('a window of a rate limit of the future is over', async () => {
    const limiter = createRateLimiter({ ...testSettings, rateLimitAnonymous: 1 }, undefined);
    const count = async (now: number): Promise<boolean> =>
      (await limiter.count({ kind: 'anonymous' }, '192.0.2.1', now, 1)).allowed;
    assert.deepEqual([await count(future), await count(future)], [true, false]);
    assert.deepEqual([await count(present), await count(present)], [true, false]);
  });

  it('a window of polling and of creating is over', () => {
    const polling = createPollingLimit(1);
    assert.equal(polling.ask('ada', '/user', future), undefined);
    assert.equal(polling.ask('ada', '/user', future), 60);
    assert.equal(polling.ask('ada', '/user', present), undefined);
    const abuse = createAbuseLimits();
    for (let times = 0; times < 80; times += 1) abuse.create('ada', future);
    assert.equal(abuse.create('ada', future), 60);
    assert.equal(abuse.create('ada', present), undefined);
  });
});
