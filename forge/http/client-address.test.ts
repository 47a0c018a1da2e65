import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge } from '../testing/test-forge.ts';

describe('where a request comes from', () => {
  let direct: TestForge;
  let proxied: TestForge;

  before(async () => {
    direct = await startTestForge({ rateLimitAnonymous: 1 });
    proxied = await startTestForge({ rateLimitAnonymous: 1, trustedProxies: ['127.0.0.0/8'] });
  });
  after(() => Promise.all([direct.close(), proxied.close()]));

  const from = (forge: TestForge, address: string) =>
    forge.anonymous.get('/meta', { 'x-forwarded-for': address });

  test('is not what anybody says it is', async () => {
    assert.equal((await from(direct, '198.51.100.1')).status, 200);
    const refused = await from(direct, '198.51.100.2');
    assert.equal(refused.status, 403);
    assert.match(refused.body.message, /^API rate limit exceeded for 127\.0\.0\.1\./);
  });

  test('is what a trusted proxy says it is', async () => {
    assert.equal((await from(proxied, '198.51.100.1')).status, 200);
    assert.equal((await from(proxied, '198.51.100.2')).status, 200);
    const refused = await from(proxied, '198.51.100.1');
    assert.match(refused.body.message, /^API rate limit exceeded for 198\.51\.100\.1\./);
  });

  test('is a network where the address is of IPv6', async () => {
    assert.equal((await from(proxied, '2001:db8:0:1::1')).status, 200);
    const refused = await from(proxied, '2001:db8:0:1:ffff::2');
    assert.match(refused.body.message, /^API rate limit exceeded for 2001:db8:0:1:ffff::2\./);
    assert.equal((await from(proxied, '2001:db8:0:2::1')).status, 200);
  });

  test('is what the last proxy says, whatever the client had said to it', async () => {
    assert.equal((await from(proxied, '203.0.113.9, 198.51.100.7')).status, 200);
    assert.equal((await from(proxied, '203.0.113.8, 198.51.100.7')).status, 403);
  });
});
