import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('pages of long conversations', () => {
  let forge: TestForge;
  let owner: TestUser;
  let page: string;
  const body = 'x'.repeat(65_000);

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    const name = await forge.repository(owner);
    const { number } = (await owner.post(`/repos/${name}/issues`, { title: 'Long', body })).body;
    page = `/${name}/issues/${number}`;
    for (let at = 0; at < 15; at += 1) {
      await owner.post(`/repos/${name}/issues/${number}/comments`, { body });
    }
  });
  after(() => forge.close());

  const ask = async (): Promise<number> => (await owner.get(page, { accept: 'text/html' })).status;

  test('of a megabyte or less are for everybody at once', async () => {
    const statuses = await Promise.all(Array.from({ length: 30 }, ask));
    assert.deepEqual(new Set(statuses), new Set([200]));
  });

  test('of more wait for each other, and one client has few of them', async () => {
    const [, owned = '', number = ''] = /^\/(.+)\/issues\/(\d+)$/.exec(page) ?? [];
    for (let at = 0; at < 2; at += 1) {
      await owner.post(`/repos/${owned}/issues/${number}/comments`, { body });
    }
    // One is built and four wait.
    const statuses = await Promise.all(Array.from({ length: 30 }, ask));
    assert.deepEqual(new Set(statuses), new Set([200, 429]));
    assert.equal(await ask(), 200);
  });
});
