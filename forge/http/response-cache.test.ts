import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Database } from '#platform/database/database.ts';

import { createForgeServer } from '../forge.ts';
import { endpoints } from '../routes.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the response cache', () => {
  let forge: TestForge;
  let owner: TestUser;
  let path: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    path = `/repos/${await forge.repository(owner, { init: true })}`;
  });
  after(() => forge.close());

  test('counts what it serves and what it takes', async () => {
    const cacheCounts = { hits: 0, misses: 0 };
    const server = await createForgeServer({ ...forge.ports, cacheCounts });
    const headers = {
      authorization: `token ${owner.token}`,
      host: 'forge.test',
      'user-agent': 'counts',
    };
    const get = async (url: string): Promise<number> =>
      (await server.inject({ url, headers })).statusCode;
    assert.equal(await get(`${path}/nothing`), 404);
    assert.deepEqual(cacheCounts, { hits: 0, misses: 0 }, 'an error is not stored');
    assert.equal(await get(path), 200);
    assert.equal(await get(path), 200);
    assert.deepEqual(cacheCounts, { hits: 1, misses: 1 });
    await server.close();
  });

  test('does not let a request without a name in', async () => {
    assert.equal((await owner.get(path)).status, 200);
    const nameless = await owner.get(path, { 'user-agent': '' });
    assert.equal(nameless.status, 403);
  });

  test('stores no response that depends on a header outside of its key', () => {
    const both = endpoints.filter(
      ({ declaration }) => declaration.cacheable === true && declaration.preview !== undefined,
    );
    assert.deepEqual(
      both,
      [],
      'a preview is asked for, or not, by the version that a request names',
    );
  });

  test('lets the time zone of a request be remembered', async () => {
    await owner.get(path);
    await owner.get(path, { 'time-zone': 'Europe/Amsterdam' });
    await forge.ports.background.idle();
    const row = await forge.database.read((sql) =>
      sql.get('select time_zone from accounts where id = $1', owner.account.id),
    );
    assert.equal(row?.['time_zone'], 'Europe/Amsterdam');
  });

  test('asks the database nothing while nothing is committed, and again after every commit', async () => {
    let requested = 0;
    const database: Database = {
      ...forge.database,
      readOne(work) {
        requested += 1;
        return forge.database.readOne(work);
      },
    };
    const server = await createForgeServer({ ...forge.ports, database });
    const headers = { authorization: `token ${owner.token}`, host: 'forge.test' };
    const get = async (): Promise<string> => {
      const request = { url: path, headers: { ...headers, 'user-agent': 'hob-test' } };
      return (await server.inject(request)).body;
    };
    // PostgreSQL cannot say whether anything was committed without being asked.
    const eachTime = forge.database.engine === 'postgres' ? 1 : 0;
    try {
      await get();
      await get();
      requested = 0;
      const first = await get();
      assert.equal(requested, eachTime);
      await forge.database.write((sql) =>
        sql.run(`update accounts set time_zone = 'Asia/Tokyo' where id = $1`, owner.account.id),
      );
      const second = await get();
      assert.ok(requested > eachTime);
      assert.equal(second, first);
    } finally {
      await server.close();
    }
  });
});
