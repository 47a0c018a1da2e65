import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { contractingStatements } from '../testing/contracting-statements.ts';
import { migrationsFolder } from '../testing/test-postgres.ts';
import { readMigrations } from './migration-files.ts';

/** Released before this was checked: their files cannot change. */
const lastUnchecked = '0067-unready-repositories';

describe('a migration', () => {
  it('is marked with "-- contracts: WHY" where servers of the last version cannot run on it', async () => {
    const migrations = await readMigrations(migrationsFolder);
    assert.ok(migrations.some(({ name }) => name === lastUnchecked));
    const checked = migrations.filter(({ name, expands }) => name > lastUnchecked && expands);
    for (const migration of checked) {
      assert.deepEqual(
        contractingStatements(migration),
        [],
        `${migration.name}: add first and remove in the next version (CONTRIBUTING.md, Change the schema), or mark the file`,
      );
    }
  });

  const contracting = [
    'drop table things;',
    'alter table things drop column name;',
    'alter table things\n  rename column name to title;',
    'alter table things rename to articles;',
    'alter table things alter column name set not null;',
    'alter table things add column size {{bigint}} not null;',
    "alter table things add column name text not null check (name <> ' default ');",
  ];
  const expanding = [
    'create table things (id {{id}}, size {{bigint}} not null);',
    'create index things_by_name on things (name) where name is not null;',
    'drop index things_by_name;',
    'alter table things add column size {{bigint}} not null default 0;',
    'alter table things add column dropped_at {{bigint}};',
    "update things set name = 'rename' where name is not null;",
    "-- drop table things;\ninsert into things (name) values ('drop table');",
  ];

  it('contracts where it removes, renames, or needs a value that the last version does not set', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hob-migrations-'));
    try {
      const texts = [...contracting, ...expanding];
      for (const [index, text] of texts.entries())
        await writeFile(join(folder, `${1000 + index}-one.sql`), text);
      const found = await readMigrations(folder);
      assert.deepEqual(
        found.map((each) => contractingStatements(each).length),
        texts.map((_, index) => (index < contracting.length ? 1 : 0)),
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
