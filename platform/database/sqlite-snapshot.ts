import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

import type { DatabaseSnapshot } from './database-snapshot.ts';
import { OperatorError } from '../operator-error.ts';
import { withoutNotifications } from './notifications.ts';
import { sqliteStatements } from './sqlite-statements.ts';
import { beginWriting } from './sqlite-writer.ts';

/** Opens a database file that a server may be writing to; the shape of the database is left as it is. */
export async function openSqliteSnapshot(path: string): Promise<DatabaseSnapshot> {
  await access(path).catch((cause: unknown) => {
    throw new OperatorError(`Database ${path} not found.`, { cause });
  });
  const current = new DatabaseSync(path, { timeout: 5000 });
  const frozen = new DatabaseSync(path, { timeout: 5000 });
  frozen.exec('pragma query_only = on');
  // Waits for a writer without blocking the thread.
  current.exec('pragma busy_timeout = 20');
  const readCurrent = withoutNotifications(sqliteStatements(current));
  const readFrozen = withoutNotifications(sqliteStatements(frozen));

  return {
    engine: 'sqlite',
    read: (work) => work(readCurrent),
    async freeze(_tables, work) {
      if (frozen.isTransaction) frozen.exec('rollback');
      await beginWriting(current);
      try {
        // A transaction reads the state of its first statement from then on.
        frozen.exec('begin');
        await readFrozen.get('select count(*) from sqlite_schema');
        return await work(readFrozen);
      } finally {
        current.exec('rollback');
      }
    },
    async save(folder, onProgress) {
      if (!frozen.isTransaction) throw new Error('The database was not frozen.');
      const file = 'hob.sqlite';
      // Within the transaction of the connection, so that no write of others makes the copy begin again.
      await backup(frozen, join(folder, file), {
        rate: pagesAtOnce,
        progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / totalPages),
      });
      return { engine: 'sqlite', file };
    },
    async close() {
      frozen.close();
      current.close();
    },
  };
}

/** SQLite: pages that a backup copies between two reports of its progress, of 4 KiB each. */
const pagesAtOnce = 1024;
