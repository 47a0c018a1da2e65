import { createHash } from 'node:crypto';
import { join } from 'node:path';

import postgres from 'postgres';

import { type Migration, readMigrations } from '../database/migration-files.ts';
import { openPostgres, type PostgresLimits } from '../database/postgres-database.ts';
import { postgresAddress } from '../database/postgres-options.ts';
import { systemRandom } from '../random.ts';
import { installReset, resetVersion } from './reset-postgres.ts';

/** The migrations of the program itself. */
export const migrationsFolder: string = join(import.meta.dirname, '../../migrations');

/** The PostgreSQL database that this run tests with, if it does. */
export const testPostgresUrl: string | undefined = process.env['DATABASE_URL'] || undefined;

/** Makes a database at the newest migration on the server of the URL, and returns its own URL: a copy of a template takes a fifth of the time of the migrations. */
export async function makeMigrated(url: string): Promise<string> {
  const template = await templateOf(url, await readMigrations(migrationsFolder));
  const name = randomName();
  await runStatement(url, `create database ${name} template ${template} ${await copying(url)}`);
  return databaseUrl(url, name);
}

/** Drops what `makeMigrated` or `madeSchema` made on the server of the first URL. */
export async function dropMade(url: string, made: string): Promise<void> {
  const { pathname, searchParams } = new URL(made);
  const schema = searchParams.get('search_path');
  if (schema === null) await dropDatabase(url, pathname.slice(1));
  else await runStatement(url, `drop schema if exists ${schema} cascade`);
}

/** The template of these migrations, which all processes and runs share: whoever needs it first makes it under another name. */
async function templateOf(url: string, migrations: readonly Migration[]): Promise<string> {
  const content = JSON.stringify([migrations, resetVersion]);
  const hash = createHash('sha256').update(content).digest('hex');
  const template = `hob_template_${hash.slice(0, 16)}`;
  if (await isThere(url, template)) return template;
  const making = randomName();
  await runStatement(url, `create database ${making}`);
  const database = await openPostgres(databaseUrl(url, making), migrations, undefined, testLimits);
  await database.close();
  const address = postgresAddress(databaseUrl(url, making));
  const client = postgres(address.url, { ...address.options, max: 1 });
  await installReset(client);
  await client.end();
  try {
    await runStatement(url, `alter database ${making} rename to ${template}`);
  } catch (error) {
    await dropDatabase(url, making);
    if (!(await isThere(url, template))) throw error;
  }
  return template;
}

/** Copying files takes a third of the time of writing every page to the log, the default since PostgreSQL 15; before, there is no other way. */
async function copying(url: string): Promise<string> {
  const hasChoice = `select where current_setting('server_version_num')::int >= 150000`;
  return (await runStatement(url, hasChoice)) > 0 ? 'strategy file_copy' : '';
}

async function isThere(url: string, name: string): Promise<boolean> {
  return (await runStatement(url, `select from pg_database where datname = '${name}'`)) > 0;
}

async function dropDatabase(url: string, name: string): Promise<void> {
  await runStatement(url, `drop database ${name} with (force)`);
}

function databaseUrl(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

function randomName(): string {
  return `hob_test_${systemRandom.token().slice(0, 16)}`;
}

/** The URL of a schema in the database of another URL; it is made if it is not there. */
export async function madeSchema(url: string, schema: string): Promise<string> {
  await runStatement(url, `create schema if not exists ${schema}`);
  const address = new URL(url);
  address.searchParams.set('search_path', schema);
  return address.href;
}

export const testLimits: Partial<PostgresLimits> = { connectionsMax: 3 };

/** Returns the number of rows. */
async function runStatement(url: string, statement: string): Promise<number> {
  return (await administrator(url).unsafe(statement)).length;
}

const administrators = new Map<string, ReturnType<typeof postgres>>();

/** A connection that ends when it has not been used for a second, as the process does. */
function administrator(url: string): ReturnType<typeof postgres> {
  const address = postgresAddress(url);
  const client =
    administrators.get(url) ??
    postgres(address.url, { ...address.options, max: 1, idle_timeout: 1 });
  administrators.set(url, client);
  return client;
}
