import postgres from 'postgres';

import type { Database } from '../database/database.ts';
import { createSerialQueues } from '../serial-queues.ts';
import { readMigrations } from '../database/migration-files.ts';
import { openPostgres } from '../database/postgres-database.ts';
import { postgresAddress } from '../database/postgres-options.ts';
import { systemRandom } from '../random.ts';

/**
 * A fresh schema in the database of the URL, dropped when closed. A schema is made three times faster than a database,
 * and needs fewer rights.
 */
export function openTestPostgres(url: string, migrationsFolder: string): Promise<Database> {
  // One after the other: all test files begin at once, and would wait for the migrations' lock past its time.
  return opening.run('open', () => openOne(url, migrationsFolder));
}

const opening = createSerialQueues();

async function openOne(url: string, migrationsFolder: string): Promise<Database> {
  const schema = `hob_test_${systemRandom.token().slice(0, 16)}`;
  const address = await madeSchema(url, schema);
  const migrations = await readMigrations(migrationsFolder);
  const database = await openPostgres(address, migrations, undefined, limits);
  let closing: Promise<void> | undefined;
  return {
    ...database,
    close: () =>
      (closing ??= database.close().then(() => runStatement(url, `drop schema ${schema} cascade`))),
  };
}

/** The URL of a schema in the database of another URL; it is made if it is not there. */
export async function madeSchema(url: string, schema: string): Promise<string> {
  await runStatement(url, `create schema if not exists ${schema}`);
  const address = new URL(url);
  address.searchParams.set('search_path', schema);
  return address.href;
}

const limits = { connectionsMax: 3 };

async function runStatement(url: string, statement: string): Promise<void> {
  const address = postgresAddress(url);
  const client = postgres(address.url, { ...address.options, max: 1 });
  try {
    await client.unsafe(statement);
  } finally {
    await client.end();
  }
}
