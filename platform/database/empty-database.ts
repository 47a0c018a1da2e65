import { existsSync } from 'node:fs';
import { link, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { syncFolder, writePrivateFile } from '../durable-files.ts';
import { systemRandom } from '../random.ts';
import { readMigrations } from './migration-files.ts';
import { openSqlite } from './sqlite-database.ts';

/** In the folder of migrations of the npm package: a SQLite database that has them all. */
const emptyDatabase = 'empty.sqlite';

/** Makes the file of which new databases are copies. */
export async function makeEmptyDatabase(migrationsFolder: string): Promise<void> {
  const path = join(migrationsFolder, emptyDatabase);
  const database = await openSqlite(path, await readMigrations(migrationsFolder));
  await database.close();
}

/**
 * Has a database that does not exist yet begin as a copy, where there is one to copy: running all migrations takes a tenth
 * of a start. Durable when it returns, and never replaces a database that another process has made meanwhile.
 */
export async function copyEmptyDatabase(migrationsFolder: string, path: string): Promise<void> {
  const empty = join(migrationsFolder, emptyDatabase);
  if (existsSync(path) || !existsSync(empty)) return;
  const unfinished = `${path}.${systemRandom.id()}`;
  try {
    const bytes = await readFile(empty);
    await writePrivateFile(unfinished, (write) => write(bytes));
    await link(unfinished, path);
    await syncFolder(dirname(path));
  } catch {
    // Made by another process, or the file system has no links: then the migrations run. A fault shows there as well.
  } finally {
    await rm(unfinished, { force: true });
  }
}
