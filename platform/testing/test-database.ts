import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Database } from '../database/database.ts';
import { readMigrations } from '../database/migration-files.ts';
import type { Migration } from '../database/migration-files.ts';
import { openSqlite } from '../database/sqlite-database.ts';
import { openTestPostgres } from './reused-postgres.ts';
import { migrationsFolder, testPostgresUrl } from './test-postgres.ts';

/**
 * A database of its own at the newest migration, gone once closed: SQLite in a temporary folder, or one on the server that DATABASE_URL
 * names, so that the whole suite runs on either engine.
 */
export function openTestDatabase(): Promise<Database> {
  return testPostgresUrl === undefined ? openTestSqlite() : openTestPostgres(testPostgresUrl);
}

async function openTestSqlite(): Promise<Database> {
  const { migrations, bytes } = await (template ??= makeTemplate());
  const folder = await temporaryFolder();
  const path = join(folder, 'test.sqlite');
  await writeFile(path, bytes);
  const database = await openSqlite(path, migrations);
  return {
    ...database,
    async close() {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Template {
  readonly migrations: readonly Migration[];
  /** A migrated database file. */
  readonly bytes: Buffer;
}

/** Made once a process; every test gets a copy. */
let template: Promise<Template> | undefined;

async function makeTemplate(): Promise<Template> {
  const migrations = await readMigrations(migrationsFolder);
  const folder = await temporaryFolder();
  const path = join(folder, 'template.sqlite');
  try {
    const database = await openSqlite(path, migrations);
    await database.close();
    return { migrations, bytes: await readFile(path) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'hob-database-'));
}
