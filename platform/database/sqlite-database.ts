import { DatabaseSync } from 'node:sqlite';

import type { Database } from './database.ts';
import type { Log } from '../log.ts';
import type { Migration } from './migration-files.ts';
import { applyMigrations } from './migration-store.ts';
import { createNotifications } from './notifications.ts';
import { OperatorError } from '../operator-error.ts';
import { dataVersionOf } from './sqlite-data-version.ts';
import { sqliteReader } from './sqlite-reader.ts';
import { sqliteWriter } from './sqlite-writer.ts';

/** Opens, or makes, a SQLite file. Several processes may have it open. */
export async function openSqlite(
  path: string,
  migrations: readonly Migration[],
  log?: Log,
  giveUpMilliseconds?: number,
): Promise<Database> {
  const writing = openConnection(path);
  // On the writer's connection readers would see what is not committed yet.
  const reading = openReadOnly(path);
  // Within a reader's transaction the revision would stand still.
  const watching = openReadOnly(path);
  const notifications = createNotifications();
  const reader = sqliteReader(reading, giveUpMilliseconds);
  const dataVersion = dataVersionOf(watching);
  const committed = (channels: readonly string[]): void => {
    reader.renew();
    dataVersion.forget();
    notifications.deliver(channels);
  };
  const writer = sqliteWriter(writing, committed, giveUpMilliseconds);
  try {
    await writer.write((sql) => applyMigrations(sql, 'sqlite', migrations, { log }));
  } catch (error) {
    closeConnections();
    throw error;
  }
  let closing: Promise<void> | undefined;
  let lastRevision: number | undefined;

  /** Reads that begin afterwards see at least what it counts: those of this turn may share a transaction that is older. */
  function dataVersionOfNewReads(): number {
    const now = dataVersion.now();
    if (now !== lastRevision) reader.renew();
    lastRevision = now;
    return now;
  }

  async function close(): Promise<void> {
    await Promise.all([writer.drain(), reader.drain()]);
    closeConnections();
  }

  function closeConnections(): void {
    // The last connection to close writes the log back into the file, which only the writing one may.
    reading.close();
    watching.close();
    writing.close();
  }

  return {
    engine: 'sqlite',
    read: reader.read,
    readOne: reader.readOne,
    write: (work) => writer.write(work),
    listen: notifications.listen,
    dataVersion: dataVersionOfNewReads,
    retries: () => 0,
    close: () => (closing ??= close()),
  };
}

function openReadOnly(path: string): DatabaseSync {
  const connection = openConnection(path);
  connection.exec('pragma query_only = on');
  return connection;
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
    throw new OperatorError(`Cannot open the database ${path}: ${reason}.`, { cause });
  }
}
