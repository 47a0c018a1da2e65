import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import type { ReservedSql, Sql as Client, TransactionSql } from 'postgres';

import { errorCode } from '../error-code.ts';
import type { Sql } from './database.ts';
import { OperatorError } from '../operator-error.ts';
import type { DatabaseSnapshot, SavedDatabase, SavedTable } from './database-snapshot.ts';
import { withoutNotifications } from './notifications.ts';
import { endSeconds, openCopyClient, reachingDatabase } from './postgres-client.ts';
import { sendBy } from './postgres-connections.ts';
import { postgresStatements } from './postgres-database.ts';
import { postgresAddress } from './postgres-options.ts';

/** PostgreSQL: attempts of a backup to lock tables that writers lock in another order; then it fails. */
const freezeAttemptsMax = 10;

/**
 * PostgreSQL: time for which a backup, which may have been stopped meanwhile, can hold writers up; then the server ends its transaction, and
 * the backup fails.
 */
const frozenMillisecondsDefault = 30_000;

/** Of PostgreSQL (Appendix A, Error Codes). */
const deadlockDetected = '40P01';

/**
 * Connects to a database that servers may be writing to. Rows are copied by COPY, so that neither pg_dump nor a version of
 * it that fits the server's is needed.
 */
export async function openPostgresSnapshot(
  url: string,
  frozenMilliseconds = frozenMillisecondsDefault,
): Promise<DatabaseSnapshot> {
  const address = postgresAddress(url);
  const client = openCopyClient(address, {
    // One that copies, one that holds the lock, one that reads.
    max: 3,
    connection: { application_name: 'hob backup' },
  });
  let frozen: ReservedSql | undefined;

  try {
    await reachingDatabase(address, () => client.unsafe('select 1'));
  } catch (error) {
    await client.end({ timeout: endSeconds });
    throw error;
  }

  async function release(): Promise<void> {
    if (!frozen) return;
    await frozen.unsafe('rollback');
    frozen.release();
    frozen = undefined;
  }

  async function freeze<T>(tables: readonly string[], work: (sql: Sql) => Promise<T>): Promise<T> {
    await release();
    const copying = await client.reserve();
    frozen = copying;
    let result: { readonly value: T } | undefined;
    let lockedAt = Infinity;
    let isOver = false;
    const freezing = async (locking: TransactionSql): Promise<void> => {
      await locking.unsafe(`set local idle_in_transaction_session_timeout = ${frozenMilliseconds}`);
      // The snapshot is taken by the first statement after the lock (PostgreSQL, LOCK).
      await locking.unsafe(
        `lock table ${tables.map(quotedIdentifier).join(', ')} in exclusive mode`,
      );
      lockedAt = performance.now();
      const [row] = await locking.unsafe<{ id: string }[]>('select pg_export_snapshot() as id');
      await copying.unsafe('begin isolation level repeatable read read only');
      await copying.unsafe(`set transaction snapshot '${row?.id ?? ''}'`);
      result = { value: await work(withoutNotifications(postgresStatements(sendBy(copying)))) };
    };
    const locked = client.begin('isolation level repeatable read', async (locking) => {
      try {
        await freezing(locking);
      } finally {
        // The library would end the transaction on the connection that it lost, and throw outside of any promise.
        if (isOver) await new Promise(() => {});
      }
    });
    await locked.catch((cause: unknown) => {
      isOver = true;
      throw performance.now() - lockedAt < frozenMilliseconds
        ? cause
        : frozenTooLong(frozenMilliseconds, cause);
    });
    if (!result) throw new Error('The transaction ended without its work.');
    return result.value;
  }

  /** LOCK takes one table after the other, and a writer may take them in another order: PostgreSQL then ends one of the two. */
  async function freezeRetrying<T>(
    tables: readonly string[],
    work: (sql: Sql) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await freeze(tables, work);
      } catch (error) {
        if (attempt === freezeAttemptsMax || errorCode(error) !== deadlockDetected) throw error;
      }
    }
  }

  return {
    engine: 'postgres',
    read: (work) => work(withoutNotifications(postgresStatements(sendBy(client)))),
    freeze: (tables, work) => reachingDatabase(address, () => freezeRetrying(tables, work)),
    async save(folder, onProgress) {
      const copying = frozen;
      if (!copying) throw new Error('The database was not frozen.');
      return reachingDatabase(address, () => saveTables(copying, folder, onProgress));
    },
    async close() {
      try {
        await release();
      } finally {
        await client.end({ timeout: endSeconds });
      }
    },
  };
}

async function saveTables(
  connection: Client,
  folder: string,
  onProgress: (share: number) => void,
): Promise<SavedDatabase> {
  const names = await tablesInOrder(connection);
  const tables: SavedTable[] = [];
  for (const name of names) {
    const columns = await columnsOf(connection, name);
    const file = `${name}.copy`;
    const rows = await connection.unsafe(copyStatement(name, columns, 'to stdout')).readable();
    await pipeline(rows, createWriteStream(join(folder, file), { flags: 'wx', mode: 0o600 }));
    tables.push({ name, columns, file });
    onProgress(tables.length / names.length);
  }
  // Sequences know no transactions: read last, they have given every value that the rows have.
  const sequences = await connection.unsafe<{ name: string; last: string }[]>(
    `select sequencename as name, last_value::text as last from pg_sequences
     where schemaname = current_schema() and last_value is not null`,
  );
  return {
    engine: 'postgres',
    tables,
    sequences: Object.fromEntries(sequences.map(({ name, last }) => [name, last])),
  };
}

export function copyStatement(table: string, columns: readonly string[], where: string): string {
  return `copy ${quotedIdentifier(table)} (${columns.map(quotedIdentifier).join(', ')}) ${where}`;
}

/** An identifier as it is, whatever is in it. */
export function quotedIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** All tables of the schema; each comes after those that its rows refer to. */
export async function tablesInOrder(connection: Client): Promise<string[]> {
  const rows = await connection.unsafe<{ name: string }[]>(
    'select tablename as name from pg_tables where schemaname = current_schema() order by tablename',
  );
  const references = await connection.unsafe<{ from: string; to: string }[]>(
    `select f.relname as "from", t.relname as "to" from pg_constraint c
     join pg_class f on f.oid = c.conrelid join pg_class t on t.oid = c.confrelid
     join pg_namespace n on n.oid = c.connamespace
     where c.contype = 'f' and n.nspname = current_schema() and c.conrelid <> c.confrelid`,
  );
  const ordered: string[] = [];
  const waiting = new Set(rows.map(({ name }) => name));
  while (waiting.size > 0) {
    const ready = [...waiting].filter(
      (name) => !references.some(({ from, to }) => from === name && waiting.has(to)),
    );
    if (ready.length === 0) {
      throw new Error(`The tables ${[...waiting].join(', ')} refer to each other in a circle.`);
    }
    for (const name of ready) waiting.delete(name);
    ordered.push(...ready);
  }
  return ordered;
}

async function columnsOf(connection: Client, table: string): Promise<string[]> {
  const rows = await connection.unsafe<{ name: string }[]>(
    `select column_name as name from information_schema.columns
     where table_schema = current_schema() and table_name = $1 order by ordinal_position`,
    [table],
  );
  return rows.map(({ name }) => name);
}

function frozenTooLong(milliseconds: number, cause: unknown): OperatorError {
  return new OperatorError(
    `Writers had waited for the backup for more than ${milliseconds / 1000} seconds, so it was ended: it was stopped meanwhile, or reads refs too slowly. Run it again.`,
    { cause },
  );
}
