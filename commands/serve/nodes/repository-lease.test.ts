import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '#forge/testing/test-forge.ts';
import type { Database } from '#platform/database/database.ts';
import { createLog } from '#platform/log.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { DatabaseUnavailableError } from '#platform/storage-failure.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';
import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { claimColumns, isCurrentTerm, releaseLease, renewLease, takeLease } from './lease-store.ts';
import { takeRepositoryLease } from './repository-lease.ts';

const one = { serverId: 'one', name: 'first.test, process 1' };
const two = { serverId: 'two', name: 'second.test, process 2' };
const noLog = createLog('silent');

describe('the lease of the repositories', { skip: testPostgresUrl === undefined }, () => {
  let database: Database;
  beforeEach(async () => {
    database = await openTestDatabase();
  });
  afterEach(() => database.close());

  /** For a server that closes it at the end; the test goes on with it. */
  const unclosed = (): Database => ({ ...database, close: async () => {} });

  const take = (node: typeof one): ReturnType<typeof takeLease> =>
    database.write((sql) => takeLease(sql, node));

  const expire = (): Promise<number> =>
    database.write((sql) => sql.run('update nodes set lease_until = 1'));

  it('refuses a second server while the first renews it, and names the first', async () => {
    await take(one);
    const refused = takeRepositoryLease({
      database: unclosed(),
      serverId: 'two',
      log: noLog,
      onLost: () => assert.fail('It has nothing to lose.'),
    });
    const refusal = refused.then(
      () => assert.fail('It was not refused.'),
      (error: unknown) => error,
    );
    // The first server renews again and again.
    const renewed = async (): Promise<undefined> => {
      assert.ok(await database.write((sql) => renewLease(sql, 'one', 1)));
    };
    let error: unknown;
    while (error === undefined) {
      const renewal = renewed();
      error = await Promise.race([refusal, renewal]);
      await renewal;
    }
    assert.ok(error instanceof OperatorError);
    assert.match(error.message, /"first\.test, process 1" uses this database/);
  });

  it('is taken over from a server that is silent, which hears of it', async () => {
    const lost = Promise.withResolvers<void>();
    const first = await takeRepositoryLease({
      database: unclosed(),
      serverId: 'one',
      log: noLog,
      onLost: lost.resolve,
      renewMilliseconds: 10,
    });
    assert.equal(first.term, 1);
    // As if it had been stopped for long: one write of the test is between its renewals.
    const taken = await database.write(async (sql) => {
      await sql.run('update nodes set lease_until = 1');
      return takeLease(sql, two);
    });
    assert.deepEqual(taken, { kind: 'taken', term: 2, from: 'one' });
    await lost.promise;
    assert.equal(await database.write((sql) => renewLease(sql, 'one', 1)), false);
    assert.equal(await database.write((sql) => renewLease(sql, 'two', 2)), true);
    await first.leave();
    assert.equal(
      (await take(one)).kind,
      'held',
      'a late release does not end the lease of another',
    );
  });

  it('is had again at once by the next start of the same server, and by any after a stop', async () => {
    await take(one);
    assert.deepEqual(await take(one), { kind: 'taken', term: 2 });
    assert.equal((await take(two)).kind, 'held');
    await database.write((sql) => releaseLease(sql, 'one', 1));
    assert.equal((await take(two)).kind, 'held', 'of a term that is over');
    await database.write((sql) => releaseLease(sql, 'one', 2));
    assert.deepEqual(await take(two), { kind: 'taken', term: 3, from: 'one' });
  });

  it('runs out where the database is away while its server stops', async () => {
    let isAway = false;
    const lease = await takeRepositoryLease({
      database: {
        ...unclosed(),
        async write(work, options) {
          if (isAway) throw new DatabaseUnavailableError(new Error('It was stopped.'));
          return database.write(work, options);
        },
      },
      serverId: 'one',
      log: noLog,
      onLost: () => assert.fail('Nobody took it.'),
    });
    isAway = true;
    await lease.leave();
    assert.equal((await take(two)).kind, 'held');
    await expire();
    assert.equal((await take(two)).kind, 'taken');
  });

  it('is taken by one of two servers that start at once', async () => {
    const kinds = (await Promise.all([take(one), take(two)])).map(({ kind }) => kind);
    assert.deepEqual(kinds.toSorted(), ['held', 'taken']);
  });

  it('comes with the claims of the server that had it', async () => {
    const tables = await database.read((sql) =>
      sql.all<{ name: string }>(
        `select table_name || '.' || column_name as name from information_schema.columns
          where column_name in ('claimed_by', 'invoked_by') and table_schema = current_schema()`,
      ),
    );
    const known = claimColumns.map((names) => names.join('.'));
    assert.deepEqual(tables.map(({ name }) => name).toSorted(), known.toSorted());
    await take(one);
    const claim = (serverId: string): Promise<number> =>
      database.write((sql) =>
        sql.run(
          `insert into function_messages (target, message, created_at, due_at, claimed_by) values ('t', '{}', 1, 1, $1)`,
          serverId,
        ),
      );
    await claim('one');
    await claim('three');
    await expire();
    await take(two);
    const rows = await database.read((sql) =>
      sql.all<{ claimed_by: string }>('select claimed_by from function_messages order by id'),
    );
    assert.deepEqual(
      rows.map((row) => row.claimed_by),
      ['two', 'three'],
    );
  });
});

describe('a server that lost the repositories', { skip: testPostgresUrl === undefined }, () => {
  let forge: TestForge;
  before(async () => {
    forge = await startTestForge({}, { ownsShardOf: (sql, id) => isCurrentTerm(sql, 1, id) });
    await forge.ports.database.write((sql) => takeLease(sql, one));
  });
  after(() => forge.close());

  it('declares no change of refs', async () => {
    const { database } = forge.ports;
    const owner = await forge.user('own');
    const path = `/repos/${await forge.repository(owner, { init: true })}`;
    const { sha } = (await owner.get(`${path}/commits/main`)).body;
    const create = (name: string): ReturnType<TestUser['post']> =>
      owner.post(`${path}/git/refs`, { ref: `refs/heads/${name}`, sha });
    assert.equal((await create('before')).status, 201);
    await database.write(async (sql) => {
      await sql.run('update nodes set lease_until = 1');
      await takeLease(sql, two);
    });
    // The harness takes a 5xx for a fault; this one is meant.
    await assert.rejects(create('after'), /answered 503: .*"The database is unavailable/);
    assert.equal((await owner.get(`${path}/git/ref/heads/before`)).status, 200);
    assert.equal((await owner.get(`${path}/git/ref/heads/after`)).status, 404);
    const intents = await database.read((sql) => sql.all('select id from ref_intents'));
    assert.deepEqual(intents, []);
  });
});
