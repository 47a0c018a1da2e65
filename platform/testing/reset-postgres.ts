/** Brings a PostgreSQL database of the tests back to what its migrations left, in some milliseconds. */
import type { Sql as Client } from 'postgres';

import { type Database, readCommitted, type Sql } from '../database/database.ts';
import { quotedIdentifier, tablesInOrder } from '../database/postgres-snapshot.ts';

/** Part of a template's name: another one for another reset. */
export const resetVersion = 1;

/**
 * Adds a function that empties the tables. It deletes: `truncate` makes new files for every table and every index, and all connections
 * would forget what they know of them. Its plans are made once a connection, as those of all functions in PL/pgSQL.
 */
export async function installReset(client: Client): Promise<void> {
  const tables = await tablesInOrder(client);
  const statements = tables.toReversed().map((table) => `delete from ${quotedIdentifier(table)};`);
  await client.unsafe('create schema hob_test');
  for (const table of tables.map(quotedIdentifier)) {
    if ((await client.unsafe(`select from ${table} limit 1`)).length === 0) continue;
    await client.unsafe(`create table hob_test.${table} as table ${table}`);
    statements.push(`insert into ${table} table hob_test.${table};`);
  }
  const sequences = await client.unsafe<{ statement: string }[]>(
    `select format('perform setval(%L, %s, %L);', format('%I.%I', schemaname, sequencename),
       coalesce(last_value, start_value), last_value is not null) as statement
     from pg_sequences where schemaname = current_schema()`,
  );
  statements.push(...sequences.map(({ statement }) => statement));
  await client.unsafe(
    `create function hob_test.reset() returns void language plpgsql as
     $reset$ begin ${statements.join('\n')} end $reset$`,
  );
}

/** Empties the tables; false, and nothing is done, where their shape is not this one any more. */
export async function reset(database: Database, shape: string): Promise<boolean> {
  return database.write(async (sql) => {
    if ((await readShape(sql)) !== shape) return false;
    await sql.get('select hob_test.reset()');
    return true;
  }, readCommitted);
}

/** Changes with every change to the schema. */
export function shapeOf(database: Database): Promise<string> {
  return database.read(readShape);
}

/** The transactions that last changed anything in the catalogs; what the server itself has there has smaller ids. */
async function readShape(sql: Sql): Promise<string> {
  const row = await sql.get<{ shape: string }>(
    `select concat_ws(' ', ${catalogs.map(changesOf).join(', ')}) as shape`,
  );
  if (!row) throw new Error('PostgreSQL answered no row.');
  return row.shape;
}

const catalogs = [
  ['pg_class', 'oid'],
  ['pg_attribute', 'attrelid'],
  ['pg_constraint', 'oid'],
  ['pg_trigger', 'oid'],
  ['pg_proc', 'oid'],
  ['pg_namespace', 'oid'],
] as const;

function changesOf([catalog, id]: (typeof catalogs)[number]): string {
  return `(select concat(count(*), ':', sum(xmin::text::bigint)) from ${catalog} where ${id} >= 16384)`;
}
