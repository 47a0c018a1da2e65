import { createHash } from 'node:crypto';

import postgres from 'postgres';
import type { Sql } from 'postgres';

import type { Database } from '../database.ts';
import { readMigrations } from '../migration-files.ts';
import type { Migration } from '../migration-files.ts';
import { openPostgres } from '../postgres-database.ts';
import { postgresAddress } from '../postgres-options.ts';
import { systemRandom } from '../random.ts';

/** A fresh database on the server of the URL, dropped when closed. Its user must be allowed to create databases. */
export async function openTestPostgres(url: string, folder: string): Promise<Database> {
  const migrations = await readMigrations(folder);
  const template = await (templates.get(url) ?? keepTemplate(url, migrations));
  const name = `hob_test_${systemRandom.token().slice(0, 16)}`;
  await asAdministrator(url, (sql) => sql.unsafe(`create database ${name} template ${template}`));
  const database = await openPostgres(withDatabase(url, name), migrations, undefined, limits);
  return {
    ...database,
    async close() {
      await database.close();
      await asAdministrator(url, (sql) => sql.unsafe(`drop database ${name} with (force)`));
    },
  };
}

const limits = { connectionsMax: 4, statementMilliseconds: 10_000 };

const templates = new Map<string, Promise<string>>();

function keepTemplate(url: string, migrations: readonly Migration[]): Promise<string> {
  const template = makeTemplate(url, migrations);
  templates.set(url, template);
  return template;
}

/** A migrated database to copy, named by its migrations and left for the next run. */
async function makeTemplate(url: string, migrations: readonly Migration[]): Promise<string> {
  const checksums = migrations.map((migration) => migration.checksum).join();
  const name = `hob_template_${createHash('sha256').update(checksums).digest('hex').slice(0, 16)}`;
  await asAdministrator(url, async (sql) => {
    await sql`select pg_advisory_lock(${templateLock})`;
    const existing = await sql`select 1 from pg_database where datname = ${name}`;
    if (existing.length > 0) return;
    // Under another name until it is whole: a run that is killed leaves no half-made template.
    const unfinished = `${name}_new`;
    await sql.unsafe(`drop database if exists ${unfinished} with (force)`);
    await sql.unsafe(`create database ${unfinished} template template0 encoding 'UTF8'`);
    const database = await openPostgres(withDatabase(url, unfinished), migrations, undefined, limits);
    await database.close();
    await sql.unsafe(`alter database ${unfinished} rename to ${name}`);
  });
  return name;
}

const templateLock = 7_086_202_602;

async function asAdministrator(
  url: string,
  work: (sql: Sql) => PromiseLike<unknown>,
): Promise<void> {
  const address = postgresAddress(url);
  // One connection, which holds the lock until it ends.
  const client = postgres(address.url, { ...address.options, max: 1 });
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
