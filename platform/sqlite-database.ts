import { DatabaseSync } from 'node:sqlite';

import type { Database, Sql } from './database.ts';
import type { Log } from './log.ts';
import type { Migration } from './migration-files.ts';
import { applyMigrations } from './migration-store.ts';
import { OperatorError } from './operator-error.ts';
import { revisionSeenBy } from './sqlite-revision.ts';
import { sqliteStatements } from './sqlite-statements.ts';
import { sqliteWriter } from './sqlite-writer.ts';

/** Opens, or makes, a SQLite file. Several processes may have it open. */
export async function openSqlite(
  path: string,
  migrations: readonly Migration[],
  log?: Log,
  giveUpMilliseconds?: number,
): Promise<Database> {
  const writing = openConnection(path);
  const writer = sqliteWriter(writing, giveUpMilliseconds);
  try {
    await writer.write((sql) => applyMigrations(sql, 'sqlite', migrations, log));
  } catch (error) {
    writing.close();
    throw error;
  }
  // Readers have a connection of their own: on the writer's they would see what is not committed yet.
  const reading = openConnection(path);
  reading.exec('pragma query_only = on');
  return sqliteDatabase(writing, reading, writer);
}

function sqliteDatabase(
  writing: DatabaseSync,
  reading: DatabaseSync,
  writer: ReturnType<typeof sqliteWriter>,
): Database {
  const statements = sqliteStatements(reading);
  // The reading connection commits nothing itself, so it sees every commit.
  const revision = revisionSeenBy(reading);
  const reads = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  async function read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    if (closing) throw new Error('The database is closed.');
    const result = work(statements);
    reads.add(result);
    try {
      return await result;
    } finally {
      reads.delete(result);
    }
  }

  async function close(): Promise<void> {
    await Promise.allSettled([writer.drain(), ...reads]);
    // The last connection to close writes the log back into the file, which only the writing one may.
    reading.close();
    writing.close();
  }

  return {
    engine: 'sqlite',
    read,
    write: (work) => writer.write(work).finally(revision.forget),
    revision: revision.now,
    close: () => (closing ??= close()),
  };
}

function openConnection(path: string): DatabaseSync {
  try {
    // The time-out comes first: two processes that both switch to the log would otherwise fail with "locked".
    const connection = new DatabaseSync(path, { timeout: 5000 });
    connection.exec('pragma journal_mode = wal');
    // With `normal`, acknowledged commits are lost in a power cut.
    connection.exec('pragma synchronous = full');
    connection.exec('pragma foreign_keys = on');
    // The writer waits for its turn without blocking the thread, see `begin`.
    connection.exec('pragma busy_timeout = 20');
    return connection;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`The database ${path} cannot be opened: ${reason}.`, { cause });
  }
}
