import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge } from '../testing/test-forge.ts';

describe('asking for the same again and again', () => {
  let forge: TestForge;

  before(async () => {
    forge = await startTestForge({ abuseLimits: true, pollingLimit: 3 });
  });
  after(() => forge.close());

  test('is refused after some requests in a minute, by the caller and the address', async () => {
    const user = await forge.user();
    const other = await forge.user();
    for (let turn = 0; turn < 3; turn += 1) assert.equal((await user.get('/user')).status, 200);
    const refused = await user.get('/user');
    assert.equal(refused.status, 403);
    assert.equal(refused.headers['retry-after'], '60');
    assert.match(refused.body.message, /abuse detection .* requesting the same URL too often/);
    assert.match(refused.body.documentation_url, /#abuse-rate-limits$/);
    assert.equal((await user.get('/user?page=2')).status, 200);
    assert.equal((await other.get('/user')).status, 200);
    forge.clock.advance(60_000);
    assert.equal((await user.get('/user')).status, 200);
  });

  test('is nothing to responses that have not changed, which cost nothing', async () => {
    const user = await forge.user();
    const name = await forge.repository(user);
    for (let turn = 0; turn < 9; turn += 1) {
      assert.equal((await user.get(`/repos/${name}`)).status, 200);
    }
  });
});
