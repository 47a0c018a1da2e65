import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge } from '../testing/test-forge.ts';

describe('the ids of requests', () => {
  const servers: TestForge[] = [];
  before(async () => {
    servers.push(await startTestForge(), await startTestForge());
  });
  after(async () => {
    for (const server of servers) await server.close();
  });

  test('are never the same, on whatever server and after whatever start', async () => {
    const ids = new Set<string | undefined>();
    for (const { anonymous } of servers) {
      for (let count = 0; count < 3; count += 1) {
        const { headers } = await anonymous.get('/meta');
        ids.add(headers['x-github-request-id']);
      }
    }
    assert.equal(ids.size, 6);
    for (const id of ids) assert.match(id ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  test('are not chosen by those who ask', async () => {
    const chosen = { 'Request-Id': 'mine', 'X-Request-Id': 'mine', 'X-GitHub-Request-Id': 'mine' };
    const { headers } = await servers[0]!.anonymous.get('/meta', chosen);
    assert.notEqual(headers['x-github-request-id'], 'mine');
  });
});
