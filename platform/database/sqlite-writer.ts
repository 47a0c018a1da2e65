import { AsyncResource } from 'node:async_hooks';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

import type { Sql } from './database.ts';
import { sqliteStatements } from './sqlite-statements.ts';
import { transactionScope } from './transaction-scope.ts';

export interface SqliteWriter {
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Takes no more writes and resolves when those taken are answered. */
  drain(): Promise<void>;
}

/**
 * Group commit: the writes of one turn of the event loop share a transaction, because one durable commit
 * costs ten times a write. Each has a savepoint, so a write that throws undoes only itself, and each is answered after
 * the commit, so no caller learns of a change that could still be lost.
 *
 * A write function that awaits something other than SQL would block all other writers: after
 * `giveUpMilliseconds` it is rolled back, its caller gets an error, and what it still sends is refused.
 */
export function sqliteWriter(
  connection: DatabaseSync,
  /** Called after every commit, before the writers are answered. */
  committed: (channels: readonly string[]) => void,
  giveUpMilliseconds: number = defaultGiveUpMilliseconds,
): SqliteWriter {
  const statements = sqliteStatements(connection);
  const queue: Job[] = [];
  let closed = false;
  let working: Promise<void> | undefined;

  function write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(new Error('The database is closed.'));
    // The write runs in a turn of another writer, and must see the asynchronous context of its own caller.
    const caller = new AsyncResource('HOB_WRITE');
    return new Promise<T>((resolve, reject) => {
      const attempt = async (sql: Sql): Promise<Answer> => {
        const value = await caller.runInAsyncScope(work, undefined, sql);
        return () => resolve(value);
      };
      queue.push({ attempt, reject });
      working ??= workOff();
    });
  }

  async function workOff(): Promise<void> {
    do {
      // Everything that this turn's requests still want to write is in the queue by then.
      await nextTurn();
      await commitGroup(queue.splice(0, groupMax));
    } while (queue.length > 0);
    working = undefined;
  }

  async function commitGroup(group: readonly Job[]): Promise<void> {
    const responses: Answer[] = [];
    const notified: string[] = [];
    try {
      await beginWriting(connection);
      for (const job of group) {
        const saved = await runSaved(job);
        responses.push(saved.response);
        notified.push(...saved.notified);
        // A full disk or a failing one makes SQLite undo the whole transaction by itself.
        if (!connection.isTransaction) {
          throw new Error('SQLite gave up the transaction.', { cause: saved.error });
        }
      }
      connection.exec('commit');
    } catch (cause) {
      const error = new Error('The write could not be committed.', { cause });
      for (const job of group) job.reject(error);
      if (connection.isTransaction) connection.exec('rollback');
      return;
    }
    committed(notified);
    for (const response of responses) response();
  }

  /** Resolves to the result for the caller once the group is committed. */
  async function runSaved(job: Job): Promise<Saved> {
    const scope = transactionScope(statements, 'write');
    connection.exec('savepoint write_function');
    try {
      const response = await withDeadline(job.attempt(scope.sql), giveUpMilliseconds);
      scope.end();
      scope.assertSound();
      connection.exec('release write_function');
      return { response, notified: scope.notified };
    } catch (error) {
      scope.end();
      if (connection.isTransaction) {
        connection.exec('rollback to write_function');
        connection.exec('release write_function');
      } else {
        job.reject(error);
      }
      return { response: () => job.reject(error), notified: [], error };
    }
  }

  return {
    write,
    async drain() {
      closed = true;
      await working;
    },
  };
}

interface Job {
  attempt(sql: Sql): Promise<Answer>;
  reject(error: unknown): void;
}

type Answer = () => void;

interface Saved {
  readonly response: Answer;
  readonly notified: Iterable<string>;
  /** Why it was undone, when it was. */
  readonly error?: unknown;
}

/** SQLite: writes of one commit. So many take some 6 ms: longer would delay readers on the same thread. */
const groupMax = 256;
/** SQLite: a write function that waits for something other than SQL. */
const defaultGiveUpMilliseconds = 10_000;

/** Another process may hold the lock (an administration command): waits up to five seconds without blocking the thread. */
export async function beginWriting(connection: DatabaseSync): Promise<void> {
  for (let triesLeft = 500; ; triesLeft -= 1) {
    try {
      connection.exec('begin immediate');
      return;
    } catch (error) {
      if (!isBusy(error) || triesLeft === 0) throw error;
      await pause(10);
    }
  }
}

/** SQLITE_BUSY, with any of its extensions. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5;
}

async function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    const refuse = (): void =>
      reject(
        new Error(
          `A write function took longer than ${milliseconds} ms and was undone: it may await only SQL.`,
        ),
      );
    timer = setTimeout(refuse, milliseconds);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
