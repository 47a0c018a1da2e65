import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';

import type { Database, Sql } from './database.ts';
import { ReadCache } from './read-cache.ts';
import { revisionMilliseconds } from './sqlite-data-version.ts';
import { openSqlite } from './sqlite-database.ts';
import { openTestDatabase } from '../testing/test-database.ts';

interface Row {
  value: string;
}

const readRow = (sql: Sql): Promise<Row | undefined> =>
  sql.get<Row>('select value from site_values where name = $1', 'kept');

describe('cached reads', () => {
  let folder: string;
  let path: string;
  let database: Database;
  let reads = 0;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-kept-'));
    path = join(folder, 'kept.sqlite');
    database = await openSqlite(path, []);
    await database.write((sql) => sql.run('create table site_values (name text, value text)'));
  });
  after(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const counted = async (): Promise<Row | undefined> => {
    reads += 1;
    return database.readOne(readRow);
  };
  const put = (into: Database, value: string): Promise<unknown> =>
    into.write(async (sql) => {
      await sql.run('delete from site_values');
      await sql.run('insert into site_values values ($1, $2)', 'kept', value);
    });

  test('what was not found is read again', async () => {
    const stored = new ReadCache<Row>(database, 10);
    reads = 0;
    assert.equal(await stored.find('a', counted), undefined);
    assert.equal(await stored.find('a', counted), undefined);
    assert.equal(reads, 2);
  });

  test('what is there is read once, until something is written', async () => {
    const stored = new ReadCache<Row>(database, 10);
    await put(database, 'one');
    reads = 0;
    assert.deepEqual({ ...(await stored.find('a', counted)) }, { value: 'one' });
    assert.deepEqual({ ...(await stored.find('a', counted)) }, { value: 'one' });
    assert.equal(reads, 1);
    await put(database, 'two');
    assert.deepEqual({ ...(await stored.find('a', counted)) }, { value: 'two' });
    assert.equal(reads, 2);
  });

  test('a write of another process is seen when the last question is too old', async () => {
    const stored = new ReadCache<Row>(database, 10);
    await put(database, 'ours');
    await stored.find('a', () => database.readOne(readRow));
    const other = await openSqlite(join(folder, 'kept.sqlite'), []);
    try {
      await put(other, 'theirs');
      const seenBy = performance.now() + revisionMilliseconds;
      while (performance.now() < seenBy);
      assert.deepEqual(
        { ...(await stored.find('a', () => database.readOne(readRow))) },
        { value: 'theirs' },
      );
    } finally {
      await other.close();
    }
  });

  test('a write while it is being read is seen by the next', async () => {
    const stored = new ReadCache<Row>(database, 10);
    await put(database, 'before');
    const read = await stored.find('a', async () => {
      const row = await database.readOne(readRow);
      await put(database, 'after');
      return row;
    });
    assert.deepEqual({ ...read }, { value: 'before' });
    assert.deepEqual(
      { ...(await stored.find('a', () => database.readOne(readRow))) },
      { value: 'after' },
    );
  });

  test('no more is cached than the limit allows', async () => {
    const stored = new ReadCache<Row>(database, 2);
    await put(database, 'x');
    reads = 0;
    for (const key of ['a', 'b', 'c', 'a']) await stored.find(key, counted);
    assert.equal(reads, 4);
  });

  test('on the engine of this run a response is never older than the last write', async () => {
    const any = await openTestDatabase();
    try {
      const stored = new ReadCache<{ count: number }>(any, 10);
      const count = (sql: Sql): Promise<{ count: number } | undefined> =>
        sql.get('select count(*) as count from rows_of_this_test');
      await any.write((sql) => sql.run('create table rows_of_this_test (id integer)'));
      assert.equal(Number((await stored.find('n', () => any.readOne(count)))?.count), 0);
      await any.write((sql) => sql.run('insert into rows_of_this_test values (1)'));
      assert.equal(Number((await stored.find('n', () => any.readOne(count)))?.count), 1);
    } finally {
      await any.close();
    }
  });

  test('what another process has committed is seen, also in the turn of an earlier read', async () => {
    const cached = new ReadCache<Row>(database, 10);
    await put(database, 'first');
    const other = new DatabaseSync(path);
    // It opens the transaction that the reads of this turn share.
    assert.equal((await counted())?.value, 'first');
    await database.read(readRow);
    other.exec("update site_values set value = 'second'");
    other.close();
    const asked = performance.now() + revisionMilliseconds + 1;
    while (performance.now() < asked);
    assert.equal((await cached.find('a', () => database.read(readRow)))?.value, 'second');
    assert.equal((await cached.find('a', () => database.read(readRow)))?.value, 'second');
  });
});
