import type { Database } from './database.ts';
import type { Log } from '../log.ts';
import { copyEmptyDatabase } from './empty-database.ts';
import { readMigrations } from './migration-files.ts';
import { OperatorError } from '../operator-error.ts';
import type { PostgresLimits } from './postgres-database.ts';
import { openSqlite } from './sqlite-database.ts';

export interface OpenDatabaseOptions {
  /** The folder of `NNNN-name.sql` files that the database is migrated with. */
  readonly migrationsFolder: string;
  readonly log?: Log;
  /** Of PostgreSQL, where they are not the usual ones. */
  readonly limits?: Partial<PostgresLimits>;
}

/**
 * Opens `postgres://…`, `sqlite:PATH` or a plain path, and brings it up to the newest migration. Refuses a database that
 * a newer version of the program has written.
 */
export async function openDatabase(url: string, options: OpenDatabaseOptions): Promise<Database> {
  const migrations = await readMigrations(options.migrationsFolder);
  if (/^postgres(ql)?:\/\//.test(url)) {
    // Its client is loaded only where it is used.
    const { openPostgres } = await import('./postgres-database.ts');
    return openPostgres(url, migrations, options.log, options.limits);
  }
  const path = url.replace(/^sqlite:/, '');
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path) || path === '' || path === ':memory:') {
    throw new OperatorError(`Invalid database "${url}": use postgres://…, sqlite:PATH or a path.`);
  }
  await copyEmptyDatabase(options.migrationsFolder, path);
  return openSqlite(path, migrations, options.log);
}
