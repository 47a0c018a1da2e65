import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Database, Sql } from '../database/database.ts';
import { openTestDatabase } from './test-database.ts';

const insertMigration = (sql: Sql): Promise<number> =>
  sql.run(`insert into schema_migrations (name, checksum) values ('9999-none', 'x')`);

/** What a test finds: every table with its rows, and the next id of one that counts. */
async function found(database: Database): Promise<unknown> {
  const named =
    database.engine === 'postgres'
      ? 'select tablename as name from pg_tables where schemaname = current_schema() order by 1'
      : `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by 1`;
  const tables = await database.read((sql) => sql.all<{ name: string }>(named));
  const counts: Record<string, unknown> = {};
  for (const { name } of tables) {
    counts[name] = await database.read((sql) => sql.get(`select count(*) as rows from ${name}`));
  }
  const account = await database.write((sql) => sql.get<{ id: number }>(insertedAccount));
  assert.equal(account?.id, 1);
  return counts;
}

const insertedAccount = `insert into accounts (kind, login, login_key, created_at, updated_at)
  values ('user', 'own', 'own', 1, 1) returning id`;

describe('a database of the tests', () => {
  test('has nothing of the test before: no row, no id, no table, no listener', async () => {
    const first = await openTestDatabase();
    const expected = await found(first);
    let heard = 0;
    first.listen('channel', () => (heard += 1));
    await first.write(async (sql) => {
      await insertMigration(sql);
      await sql.run('update versions set version = version + 5');
    });
    await first.close();
    const second = await openTestDatabase();
    assert.deepEqual(await found(second), expected);
    await second.write(async (sql) => {
      sql.notify('channel');
      await sql.run('create table of_a_test (id integer)');
    });
    assert.equal(heard, 0);
    await second.close();
    const third = await openTestDatabase();
    assert.deepEqual(await found(third), expected);
    await third.write((sql) => sql.run('drop table login_failures'));
    await third.close();
    const fourth = await openTestDatabase();
    assert.deepEqual(await found(fourth), expected);
    await fourth.close();
  });

  test('does nothing once it is closed, and closes when its work has ended', async () => {
    const database = await openTestDatabase();
    const started = Promise.withResolvers<void>();
    const ending = Promise.withResolvers<void>();
    let hasEnded = false;
    const working = database.write(async (sql) => {
      started.resolve();
      await ending.promise;
      await insertMigration(sql);
      hasEnded = true;
    });
    await started.promise;
    const closing = database.close().then(() => assert.ok(hasEnded));
    await assert.rejects(
      database.read((sql) => sql.get('select 1')),
      /The database is closed/,
    );
    ending.resolve();
    await Promise.all([working, closing, database.close()]);
    await assert.rejects(database.write(insertMigration), /The database is closed/);
  });

  test('is not that of another test that runs', async () => {
    const both = [await openTestDatabase(), await openTestDatabase()] as const;
    await both[0].write(insertMigration);
    const [one, other] = await Promise.all(
      both.map(async (database) => {
        const row = await database.read((sql) =>
          sql.get<{ rows: number }>('select count(*) as rows from schema_migrations'),
        );
        assert.ok(row);
        return row.rows;
      }),
    );
    assert.equal(Number(one) - Number(other), 1);
    for (const database of both) await database.close();
  });
});
