import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';

import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { inSlotIfLong } from './parts/conversation.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

test('texts of more than a megabyte wait for a slot', async () => {
  const inSlot = mock.fn(<T>(build: () => Promise<T>): Promise<T> => build());
  const build = async (): Promise<string> => 'built';
  const megabyte = 'x'.repeat(1024 * 1024);
  assert.equal(await inSlotIfLong({ inSlot }, [megabyte, null], build), 'built');
  assert.equal(inSlot.mock.callCount(), 0);
  assert.equal(await inSlotIfLong({ inSlot }, [megabyte, null, 'x'], build), 'built');
  assert.equal(inSlot.mock.callCount(), 1);
});

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

  // While a page is built, requests come in more slowly than pages are built where each of their statements waits for a turn.
  const skip = testPostgresUrl === undefined ? false : 'PostgreSQL answers too slowly';
  test('of more wait for each other, and one client has few of them', { skip }, async () => {
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
