import type { Sql } from './database.ts';
import type { Log } from '../log.ts';
import { migrationStatements } from './migration-files.ts';
import type { Migration } from './migration-files.ts';
import { OperatorError } from '../operator-error.ts';

/** Runs the migrations that a database lacks. Called inside one transaction that holds the engine's lock. */
export async function applyMigrations(
  sql: Sql,
  engine: 'sqlite' | 'postgres',
  migrations: readonly Migration[],
  log?: Log,
): Promise<void> {
  await sql.run(
    'create table if not exists schema_migrations (name text primary key, checksum text not null)',
  );
  const applied = await sql.all<AppliedRow>('select name, checksum from schema_migrations');
  refuseUnknown(applied, migrations);
  const names = new Set(applied.map((row) => row.name));
  for (const migration of migrations) {
    if (names.has(migration.name)) continue;
    if (migration.replaces.some((name) => names.has(name))) {
      await adoptMigration(sql, migration, names);
      continue;
    }
    await applyMigration(sql, engine, migration);
    log?.debug({ migration: migration.name }, 'database migrated');
  }
}

interface AppliedRow {
  readonly name: string;
  readonly checksum: string;
}

function refuseUnknown(applied: readonly AppliedRow[], migrations: readonly Migration[]): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  const replaced = new Set(migrations.flatMap(({ replaces }) => replaces));
  const newest = migrations.at(-1)?.name ?? 'none';
  for (const row of applied) {
    if (replaced.has(row.name)) continue;
    const migration = known.get(row.name);
    if (!migration) {
      throw new OperatorError(
        `The database was written by a newer version of Hob: it has migration ${row.name}, but the ` +
          `newest that this version knows is ${newest}. Start the newer version, or restore an older backup.`,
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new OperatorError(
        `Migration ${row.name} has changed since it was applied to this database. Restore the file, and put ` +
          'changes to the schema into a new migration.',
      );
    }
  }
}

/** Records a migration whose earlier steps a database has already. */
async function adoptMigration(
  sql: Sql,
  migration: Migration,
  applied: ReadonlySet<string>,
): Promise<void> {
  const missing = migration.replaces.filter((name) => !applied.has(name));
  if (missing.length > 0) {
    throw new OperatorError(
      `The database was written by an older version of Hob that this one cannot upgrade: it lacks migration ` +
        `${missing.join(', ')}. Start the last version that has it once, then this one.`,
    );
  }
  for (const name of migration.replaces) {
    await sql.run('delete from schema_migrations where name = $1', name);
  }
  await record(sql, migration);
}

async function applyMigration(
  sql: Sql,
  engine: 'sqlite' | 'postgres',
  migration: Migration,
): Promise<void> {
  for (const statement of migrationStatements(migration, engine)) {
    try {
      await sql.run(statement);
    } catch (cause) {
      throw new Error(`Migration ${migration.name} failed at: ${statement}`, { cause });
    }
  }
  await record(sql, migration);
}

async function record(sql: Sql, { name, checksum }: Migration): Promise<void> {
  await sql.run('insert into schema_migrations (name, checksum) values ($1, $2)', name, checksum);
}
