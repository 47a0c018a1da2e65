import assert from 'node:assert/strict';
import { mkdtemp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { makeEmptyDatabase } from './empty-database.ts';
import { openDatabase } from './open-database.ts';

const namesIn = 'select name from schema_migrations order by name';

describe('a new database', () => {
  let folder: string;
  let migrationsFolder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-empty-'));
    migrationsFolder = join(folder, 'migrations');
    await mkdir(migrationsFolder);
    await writeFile(join(migrationsFolder, '0001-first.sql'), 'create table things (name text);\n');
    await makeEmptyDatabase(migrationsFolder);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const open = async (name: string, migrations = migrationsFolder) => {
    const database = await openDatabase(join(folder, name), { migrationsFolder: migrations });
    try {
      const applied = await database.read((sql) => sql.all<{ name: string }>(namesIn));
      const things = await database.read((sql) => sql.all('select name from things'));
      await database.write((sql) => sql.run("insert into things values ('mine')"));
      return { applied: applied.map((row) => row.name), things: things.length };
    } finally {
      await database.close();
    }
  };

  test('does not replace one that exists', async () => {
    await open('existing.sqlite');
    assert.equal((await open('existing.sqlite')).things, 1);
  });

  test('begins as a copy that only the server may read, and gets later migrations', async () => {
    const newer = join(folder, 'newer');
    await mkdir(newer);
    await writeFile(join(newer, '0001-first.sql'), 'create table things (name text);\n');
    await makeEmptyDatabase(newer);
    await writeFile(join(newer, '0002-second.sql'), 'create table others (name text);\n');
    assert.deepEqual((await open('new.sqlite', newer)).applied, ['0001-first', '0002-second']);
    assert.equal((await stat(join(folder, 'new.sqlite'))).mode & 0o777, 0o600);
  });

  test('is made by one of several that open it at once', async () => {
    const path = join(folder, 'shared.sqlite');
    const databases = await Promise.all(
      Array.from({ length: 5 }, () => openDatabase(path, { migrationsFolder })),
    );
    for (const [index, database] of databases.entries()) {
      await database.write((sql) => sql.run('insert into things values ($1)', `${index}`));
    }
    const [last] = databases;
    assert.equal((await last?.read((sql) => sql.all('select name from things')))?.length, 5);
    for (const database of databases) await database.close();
    const names = await readdir(folder);
    assert.deepEqual(
      names.filter((name) => name.startsWith('shared')),
      ['shared.sqlite'],
    );
  });

  test('is migrated where there is none to copy', async () => {
    const plain = join(folder, 'plain');
    await mkdir(plain);
    await writeFile(join(plain, '0001-first.sql'), 'create table things (name text);\n');
    assert.deepEqual((await open('plain.sqlite', plain)).applied, ['0001-first']);
  });
});
