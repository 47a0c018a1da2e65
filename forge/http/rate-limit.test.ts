import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createApplication } from '../auth/create-application.ts';
import { startTestForge, type TestForge } from '../testing/test-forge.ts';

describe('the rate limit of an hour', () => {
  let forge: TestForge;

  before(async () => {
    forge = await startTestForge({
      rateLimitAnonymous: 2,
      rateLimitUser: 3,
      rateLimitApplication: 4,
    });
  });
  after(() => forge.close());

  test('of an address ends with the way to a larger one', async () => {
    const ask = () => forge.anonymous.get('/meta');
    for (const left of ['1', '0']) {
      assert.equal((await ask()).headers['x-ratelimit-remaining'], left);
    }
    const { status, headers, body } = await ask();
    assert.deepEqual([status, headers['x-ratelimit-remaining']], [403, '0']);
    assert.equal(
      body.message,
      "API rate limit exceeded for 127.0.0.1. (But here's the good news: Authenticated requests get a higher rate limit. Check out the documentation for more details.)",
    );
    assert.match(body.documentation_url, /#rate-limiting$/);
  });

  test('of an application is its own, apart from that of its address and those of others', async () => {
    const headers: Record<string, string>[] = [];
    for (const name of ['one', 'other']) {
      const { clientId, clientSecret } = await createApplication(forge.ports, { name });
      const words = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
      headers.push({ authorization: `Basic ${words}` });
    }
    const [one, other] = headers;
    for (const left of ['3', '2', '1', '0']) {
      const response = await forge.anonymous.get('/meta', one);
      assert.equal(response.status, 200);
      assert.equal(response.headers['x-ratelimit-limit'], '4');
      assert.equal(response.headers['x-ratelimit-remaining'], left);
    }
    assert.equal((await forge.anonymous.get('/meta', one)).status, 403);
    assert.equal((await forge.anonymous.get('/meta', other)).status, 200);
  });
});
