import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import type postgres from 'postgres';

import type { SavedDatabase } from './database-snapshot.ts';
import type { Migration } from './migration-files.ts';
import { OperatorError } from '../operator-error.ts';
import { endSeconds, openCopyClient, reachingDatabase } from './postgres-client.ts';
import { openPostgres } from './postgres-database.ts';
import { postgresAddress } from './postgres-options.ts';
import { copyStatement, quotedIdentifier } from './postgres-snapshot.ts';

export type SavedPostgres = Extract<SavedDatabase, { engine: 'postgres' }>;

/**
 * Fills an empty database with saved rows, all or none. `migrations` are those that the saved database had: they make the
 * tables that the rows fit.
 */
export async function restorePostgres(
  url: string,
  migrations: readonly Migration[],
  saved: SavedPostgres,
  folder: string,
): Promise<void> {
  const address = postgresAddress(url);
  const client = openCopyClient(address, { max: 1 });
  try {
    await reachingDatabase(address, async () => {
      await refuseTables(client, address.shown);
      await (await openPostgres(url, migrations)).close();
      await client.begin((connection) => fill(connection, saved, folder));
    });
  } finally {
    await client.end({ timeout: endSeconds });
  }
}

async function fill(
  connection: postgres.TransactionSql,
  saved: SavedPostgres,
  folder: string,
): Promise<void> {
  for (const { name } of saved.tables.toReversed()) {
    await connection.unsafe(`delete from ${quotedIdentifier(name)}`);
  }
  for (const { name, columns, file } of saved.tables) {
    const rows = await connection.unsafe(copyStatement(name, columns, 'from stdin')).writable();
    await pipeline(createReadStream(join(folder, file)), rows);
  }
  for (const [name, last] of Object.entries(saved.sequences)) {
    await connection.unsafe('select setval($1::regclass, $2)', [quotedIdentifier(name), last]);
  }
}

async function refuseTables(client: postgres.Sql, shown: string): Promise<void> {
  const [row] = await client.unsafe<{ tables: string }[]>(
    'select count(*)::text as tables from pg_tables where schemaname = current_schema()',
  );
  if (row?.tables === '0') return;
  throw new OperatorError(
    `The database ${shown} already contains tables. Use an empty database, or an empty schema with search_path.`,
  );
}
