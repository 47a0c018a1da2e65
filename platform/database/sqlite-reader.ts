import type { DatabaseSync } from 'node:sqlite';

import type { Sql } from './database.ts';
import { oneStatement } from './one-statement.ts';
import { sqliteStatements } from './sqlite-statements.ts';
import { transactionScope } from './transaction-scope.ts';

export interface SqliteReader {
  readonly read: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;
  readonly readOne: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;
  /** To be called after every commit of this process: reads that begin from now on see it. */
  renew(): void;
  /** Takes no more reads and resolves when those taken are answered. */
  drain(): Promise<void>;
}

/**
 * The reads of one turn of the event loop share a transaction, because beginning and ending one costs as much as two
 * statements. All statements of a read function see the same commits: it awaits nothing but statements, and those are
 * answered at once, so it ends within its turn.
 *
 * The transaction ends with the turn, and before that as soon as this process commits something. One that awaits something
 * else holds up the reads that come after: it gets an error after `giveUpMilliseconds`, and the statements that it still
 * runs are refused.
 */
export function sqliteReader(
  connection: DatabaseSync,
  giveUpMilliseconds: number = defaultGiveUpMilliseconds,
): SqliteReader {
  const statements = sqliteStatements(connection);
  // Deferred: the first statement takes the snapshot.
  const begin = connection.prepare('begin deferred');
  const commit = connection.prepare('commit');
  let current: Snapshot | undefined;
  let waiting: (() => void)[] = [];
  let closed = false;
  let whenIdle: (() => void) | undefined;

  function open(): Snapshot {
    begin.run();
    const snapshot: Snapshot = { running: new Set(), sealed: false };
    setImmediate(() => seal(snapshot));
    return snapshot;
  }

  /** Ends the snapshot, once the read functions that use it have ended. */
  function seal(snapshot: Snapshot): void {
    if (snapshot.sealed) return;
    snapshot.sealed = true;
    if (snapshot.running.size === 0) return end(snapshot);
    snapshot.deadline = setTimeout(() => {
      for (const giveUp of snapshot.running) giveUp(tookTooLong(giveUpMilliseconds));
    }, giveUpMilliseconds);
  }

  function end(snapshot: Snapshot): void {
    clearTimeout(snapshot.deadline);
    if (connection.isTransaction) commit.run();
    current = undefined;
    const next = waiting;
    waiting = [];
    for (const start of next) start();
    if (next.length === 0) whenIdle?.();
  }

  async function transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const snapshot = (current ??= open());
    const scope = transactionScope(statements, 'read');
    const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>();
    snapshot.running.add(giveUp);
    try {
      const value = await Promise.race([work(scope.sql), givenUp]);
      scope.assertSound();
      return value;
    } finally {
      scope.end();
      snapshot.running.delete(giveUp);
      if (snapshot.sealed && snapshot.running.size === 0) end(snapshot);
    }
  }

  function inTurn<T>(start: () => Promise<T>): Promise<T> {
    return current?.sealed ? afterTurn(start) : start();
  }

  async function afterTurn<T>(start: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => waiting.push(resolve));
    // One that began before may have opened another, and a commit may have sealed that one.
    return inTurn(start);
  }

  return {
    read: (work) => (closed ? refuse() : inTurn(() => transaction(work))),
    readOne: (work) => (closed ? refuse() : inTurn(() => oneStatement(statements, work))),
    renew() {
      if (current) seal(current);
    },
    async drain() {
      closed = true;
      if (!current) return;
      await new Promise<void>((resolve) => {
        whenIdle = resolve;
      });
    },
  };
}

interface Snapshot {
  /** One per read function that uses it: ends it with an error. */
  readonly running: Set<(reason: Error) => void>;
  /** No other read function may use it. */
  sealed: boolean;
  deadline?: NodeJS.Timeout;
}

/** SQLite: a read function that waits for something other than SQL. */
const defaultGiveUpMilliseconds = 10_000;

function refuse(): Promise<never> {
  return Promise.reject(new Error('The database is closed.'));
}

function tookTooLong(milliseconds: number): Error {
  return new Error(
    `A read function took longer than ${milliseconds} ms and was ended: it may await only SQL.`,
  );
}
