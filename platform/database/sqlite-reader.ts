import type { DatabaseSync } from 'node:sqlite';

import type { Sql } from './database.ts';
import { oneStatement } from './one-statement.ts';
import { sqliteStatements } from './sqlite-statements.ts';
import { transactionScope } from './transaction-scope.ts';

export interface SqliteReader {
  readonly read: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;
  readonly readOne: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;
  /** Takes no more reads and resolves when those taken are answered. */
  drain(): Promise<void>;
}

/**
 * Each read function has a transaction of its own, so that all its statements see the same commits. They run one after
 * the other on one connection: a statement blocks the thread anyway, and a read function awaits nothing but statements.
 *
 * One that awaits something else holds up all others. Once another has waited for `giveUpMilliseconds`, its caller gets
 * an error and the statements that it still runs are refused.
 */
export function sqliteReader(
  connection: DatabaseSync,
  giveUpMilliseconds: number = defaultGiveUpMilliseconds,
): SqliteReader {
  const statements = sqliteStatements(connection);
  // Deferred: the first statement takes the snapshot.
  const begin = connection.prepare('begin deferred');
  const commit = connection.prepare('commit');
  const queue: (() => void)[] = [];
  let current: Transaction | undefined;
  let closed = false;
  let whenIdle: (() => void) | undefined;

  function inTurn<T>(start: () => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(new Error('The database is closed.'));
    if (!current) return start();
    current.deadline ??= setTimeout(current.giveUp, giveUpMilliseconds);
    return new Promise((resolve) => queue.push(() => resolve(start())));
  }

  async function transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const scope = transactionScope(statements, 'read');
    const { promise: givenUp, reject } = Promise.withResolvers<never>();
    const own: Transaction = { giveUp: () => reject(tookTooLong(giveUpMilliseconds)) };
    current = own;
    try {
      begin.run();
      const value = await Promise.race([work(scope.sql), givenUp]);
      scope.assertSound();
      return value;
    } finally {
      clearTimeout(own.deadline);
      scope.end();
      if (connection.isTransaction) commit.run();
      current = undefined;
      startNext();
    }
  }

  /** Up to the first that takes more than its one statement: it goes on from there when it ends. */
  function startNext(): void {
    for (let next = queue.shift(); next; next = queue.shift()) {
      next();
      if (current) return;
    }
    whenIdle?.();
  }

  return {
    read: (work) => inTurn(() => transaction(work)),
    // Over when it returns: SQLite answers at once.
    readOne: (work) => inTurn(() => oneStatement(statements, work)),
    async drain() {
      closed = true;
      if (!current) return;
      await new Promise<void>((resolve) => {
        whenIdle = resolve;
      });
    },
  };
}

interface Transaction {
  readonly giveUp: () => void;
  /** Set once another read waits. */
  deadline?: NodeJS.Timeout;
}

const defaultGiveUpMilliseconds = 10_000;

function tookTooLong(milliseconds: number): Error {
  return new Error(
    `A read function took longer than ${milliseconds} ms and was ended: it may await only SQL.`,
  );
}
