import type { Sql } from './database.ts';
import type { Log } from '../log.ts';
import { migrationStatements } from './migration-files.ts';
import type { Migration } from './migration-files.ts';
import { OperatorError } from '../operator-error.ts';

export interface MigrationOptions {
  readonly log?: Log | undefined;
  /** Whether nodes of a newer version may be running: what they added to the schema is no reason not to start. */
  readonly toleratesExpansions?: boolean;
}

/** Runs the migrations that a database lacks. Called inside one transaction that holds the engine's lock. */
export async function applyMigrations(
  sql: Sql,
  engine: 'sqlite' | 'postgres',
  migrations: readonly Migration[],
  { log, toleratesExpansions = false }: MigrationOptions = {},
): Promise<void> {
  await sql.run(
    'create table if not exists schema_migrations (name text primary key, checksum text not null)',
  );
  // Earlier versions know the other table by its two columns.
  await sql.run('create table if not exists expanding_migrations (name text primary key)');
  const applied = await sql.all<AppliedRow>(
    `select m.name, m.checksum, e.name as expanding
      from schema_migrations m left join expanding_migrations e on e.name = m.name`,
  );
  const unknown = refuseUnknown(applied, migrations, toleratesExpansions);
  if (unknown.length > 0)
    log?.warn({ migrations: unknown }, 'the database was migrated by a newer version of Hob');
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
  /** Set where earlier versions may run on it. */
  readonly expanding: string | null;
}

/** Gives the migrations that this version does not know, and may run on. */
function refuseUnknown(
  applied: readonly AppliedRow[],
  migrations: readonly Migration[],
  toleratesExpansions: boolean,
): readonly string[] {
  const tolerated: string[] = [];
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  const replaced = new Set(migrations.flatMap(({ replaces }) => replaces));
  const newest = migrations.at(-1)?.name ?? 'none';
  for (const row of applied) {
    if (replaced.has(row.name)) continue;
    const migration = known.get(row.name);
    if (!migration && toleratesExpansions && row.expanding !== null) {
      tolerated.push(row.name);
      continue;
    }
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
  return tolerated;
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

async function record(sql: Sql, { name, checksum, expands }: Migration): Promise<void> {
  await sql.run('insert into schema_migrations (name, checksum) values ($1, $2)', name, checksum);
  if (expands) await sql.run('insert into expanding_migrations (name) values ($1)', name);
}
