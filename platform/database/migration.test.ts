import assert from 'node:assert/strict';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { type Migration, migrationStatements, readMigrations } from './migration-files.ts';
import { applyMigrations } from './migration-store.ts';
import { openDatabase } from './open-database.ts';
import { OperatorError } from '../operator-error.ts';

describe('migrations', () => {
  let folder: string;
  let url: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-migrations-'));
    url = `sqlite:${join(folder, 'test.db')}`;
    await write('0001-one', 'create table one (id {{id}}, number {{bigint}} not null);');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const write = (name: string, text: string): Promise<void> =>
    writeFile(join(folder, `${name}.sql`), text);
  const openAndClose = async (): Promise<void> =>
    (await openDatabase(url, { migrationsFolder: folder })).close();

  it('refuse a database of a newer program, by name', async () => {
    await write('0002-two', 'create table two (id {{id}});');
    await openAndClose();
    await rm(join(folder, '0002-two.sql'));
    await assert.rejects(openAndClose(), (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /newer version.*0002-two.*0001-one/);
      return true;
    });
  });

  it('of a newer program that expand the schema are tolerated where nodes of both may run', async () => {
    const migrations = (): Promise<Migration[]> => readMigrations(folder);
    const older = await migrations();
    await write('0002-two', 'create table two (id {{id}});');
    await openAndClose();
    const database = await openDatabase(url, { migrationsFolder: folder });
    const apply = (known: readonly Migration[]): Promise<void> =>
      database.write((sql) => applyMigrations(sql, 'sqlite', known, { toleratesExpansions: true }));
    try {
      await apply(older);
      await write('0003-three', '-- contracts\n-- No version since 0.2 reads it.\ndrop table two;');
      await apply(await migrations());
      await assert.rejects(apply(older), /newer version.*0003-three/);
      // Whoever migrates next to it finds what is there unchanged.
      await apply(await migrations());
    } finally {
      await database.close();
    }
  });

  it('of a newer program are refused where it was not recorded that they expand', async () => {
    const older = await readMigrations(folder);
    await write('0002-two', 'create table two (id {{id}});');
    const database = await openDatabase(url, { migrationsFolder: folder });
    try {
      await database.write((sql) => sql.run('delete from expanding_migrations'));
      const apply = database.write((sql) =>
        applyMigrations(sql, 'sqlite', older, { toleratesExpansions: true }),
      );
      await assert.rejects(apply, /newer version.*0002-two/);
    } finally {
      await database.close();
    }
  });

  it('refuse a file that was changed after it was applied', async () => {
    await openAndClose();
    await write('0001-one', 'create table one (id {{id}});');
    await assert.rejects(openAndClose(), /0001-one has changed/);
  });

  it('refuse a file with another kind of name and an unknown placeholder', async () => {
    await write('two', 'create table two (id {{id}});');
    await assert.rejects(openAndClose(), /NNNN-name/);
    await rename(join(folder, 'two.sql'), join(folder, '0002-two.sql'));
    await write('0002-two', 'create table two (id {{ids}});');
    await assert.rejects(openAndClose(), /\{\{ids\}\}/);
  });

  it('are all undone when one fails, and name the statement', async () => {
    await write('0002-two', 'create table two (id {{id}});\ncreate table one (id {{id}});');
    await assert.rejects(openAndClose(), /0002-two failed at: create table one/);
    await write('0002-two', 'create table two (id {{id}});');
    await openAndClose();
  });

  it('run once, in order, also those that are added later', async () => {
    await openAndClose();
    await write(
      '0002-two',
      'insert into one (number) values (1);\n-- Twice; never.\ninsert into one (number) values (2);\n',
    );
    await openAndClose();
    const database = await openDatabase(url, { migrationsFolder: folder });
    const rows = await database.read((sql) => sql.all('select id, number from one order by id'));
    await database.close();
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        { id: 1, number: 1 },
        { id: 2, number: 2 },
      ],
    );
  });

  it('run once when two processes start together', async () => {
    await Promise.all([openAndClose(), openAndClose()]);
  });

  it('that sum up others count as applied where all of those are', async () => {
    await write('0002-two', 'create table two (id {{id}});');
    await openAndClose();
    await rm(join(folder, '0001-one.sql'));
    await rm(join(folder, '0002-two.sql'));
    const sum =
      'create table one (id {{id}}, number {{bigint}} not null);\ncreate table two (id {{id}});';
    await write('0001-sum', `-- replaces: 0001-one\n-- replaces: 0002-two\n${sum}`);
    await write('0003-three', 'alter table two add column name text;');
    await openAndClose();
    // It is recorded by its own name, so that a change to it is refused from now on.
    await write('0001-sum', `-- replaces: 0001-one, 0002-two\n${sum}`);
    await assert.rejects(openAndClose(), /0001-sum has changed/);
  });

  it('that sum up others refuse a database that has only some of those', async () => {
    await openAndClose();
    await rm(join(folder, '0001-one.sql'));
    await write('0001-sum', '-- replaces: 0001-one, 0002-two\ncreate table three (id {{id}});');
    await assert.rejects(openAndClose(), (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /older version.*lacks migration 0002-two/);
      return true;
    });
  });

  it('are released as they are: a change to the schema is a file of its own', async () => {
    const released = join(import.meta.dirname, '../../migrations');
    const sums = await readFile(join(released, 'released.sha256'), 'utf8');
    const migrations = await readMigrations(released);
    const present = migrations.map(({ name, checksum }) => `${checksum}  ${name}.sql`);
    assert.deepEqual(present, sums.trim().split('\n'));
  });

  it('are expanded for each engine', async () => {
    await write('0001-one', 'create table one (\n  id {{id}},\n  name text not null\n);\n');
    const [migration] = await readMigrations(folder);
    assert.ok(migration);
    assert.match(
      migrationStatements(migration, 'sqlite').join(),
      /integer primary key autoincrement,\n {2}name text not null/,
    );
    assert.match(
      migrationStatements(migration, 'postgres').join(),
      /bigint generated by default as identity primary key,\n {2}name text collate "C" not null/,
    );
  });
});
