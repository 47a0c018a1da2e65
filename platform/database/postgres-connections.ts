import type { Sql as Client, ReservedSql, RowList } from 'postgres';

import type { Row, SqlValue } from './database.ts';
import { inBackground } from '../in-background.ts';
import { isConnectionFailure, type PostgresClient } from './postgres-client.ts';
import { DatabaseUnavailableError } from '../storage-failure.ts';
import { storableValues } from './sanitize-parameters.ts';

/** Sends one statement and waits for its result. */
export type SendStatement = (
  text: string,
  values?: readonly SqlValue[],
) => Promise<StatementResult>;

type StatementResult = RowList<Row[]>;
type Work<T> = (send: SendStatement) => Promise<T>;

/** A bounded number of connections to one PostgreSQL server. */
export interface PostgresConnections {
  /**
   * Gives the work a connection of its own. A connection that fails, or that is free too late, is reported as a
   * DatabaseUnavailableError. `statementMilliseconds` replaces the timeout of the same name.
   */
  use<T>(work: Work<T>, statementMilliseconds?: number): Promise<T>;
  /** Waits for the work under way, ends what takes too long, and closes all connections. */
  end(): Promise<void>;
}

/** The server may have stopped answering without closing its connections, and then nothing else bounds a wait. */
export interface PostgresTimeouts {
  /** For the response to a statement; the connection is dropped then, since the response could still come. */
  readonly statementMilliseconds: number;
  /** For a connection to become free. */
  readonly acquireMilliseconds: number;
  /** For the work under way when the pool ends. */
  readonly endMilliseconds: number;
}

export interface PostgresConnectionsOptions {
  /** Opens a connection, which calls `onclose` when it is closed or cannot be opened. */
  readonly open: (onclose: () => void) => PostgresClient;
  readonly max: number;
  readonly timeouts: PostgresTimeouts;
  readonly now?: () => number;
}

/** PostgreSQL: age of a connection, which is then replaced: its server process has caches that grow until it is closed. */
const lifetimeMilliseconds = 30 * 60_000;

interface Connection extends PostgresClient {
  readonly openedAt: number;
  /** `opening` until its first work is done. One that is `closed` is never used again. */
  state: 'opening' | 'idle' | 'busy' | 'closed';
  /** Fails the work under way. */
  fail: (error: unknown) => void;
}

export function createPostgresConnections(
  options: PostgresConnectionsOptions,
): PostgresConnections {
  return new Pool(options);
}

/**
 * Pools clients of one connection each. The driver's own pool (postgres 3.4.9) sends the rollback of a transaction to its connection
 * even when that is closed, which throws outside of every promise and so ends the process, and takes the connection back into use, where
 * the next statement waits for ever. Here nothing is sent to a closed connection, and none is used again.
 */
class Pool implements PostgresConnections {
  readonly #options: PostgresConnectionsOptions;
  readonly #connections = new Set<Connection>();
  /** Those who wait for a connection, in the order they came. */
  readonly #waiting = new Set<PromiseWithResolvers<Connection>>();
  #onIdle = (): void => {};

  constructor(options: PostgresConnectionsOptions) {
    this.#options = options;
  }

  async use<T>(
    work: Work<T>,
    statementMilliseconds = this.#options.timeouts.statementMilliseconds,
  ): Promise<T> {
    const connection = await this.#acquire();
    try {
      return await this.#run(connection, work, statementMilliseconds);
    } finally {
      this.#release(connection);
    }
  }

  async end(): Promise<void> {
    const idle = Promise.withResolvers<undefined>();
    this.#onIdle = () => idle.resolve(undefined);
    this.#serveWaiting();
    const { endMilliseconds } = this.#options.timeouts;
    await within(endMilliseconds, idle.promise, () => {
      const error = timeoutError(`The work under way took longer than ${endMilliseconds} ms.`);
      this.#refuseWaiting(error);
      for (const connection of this.#connections) {
        if (connection.state !== 'idle') this.#discard(connection, error);
      }
      idle.resolve(undefined);
    });
    await Promise.all([...this.#connections].map((connection) => endClient(connection)));
  }

  #acquire(): Connection | Promise<Connection> {
    const connection = this.#take();
    if (connection) return connection;
    const waiter = Promise.withResolvers<Connection>();
    this.#waiting.add(waiter);
    const { acquireMilliseconds } = this.#options.timeouts;
    return within(acquireMilliseconds, waiter.promise, () => {
      const error = timeoutError(`No connection became free within ${acquireMilliseconds} ms.`);
      if (this.#waiting.delete(waiter)) waiter.reject(new DatabaseUnavailableError(error));
    });
  }

  /** An idle connection or a new one; undefined: all are in use. */
  #take(): Connection | undefined {
    const idle = [...this.#connections].findLast(({ state }) => state === 'idle');
    if (idle) {
      idle.state = 'busy';
      return idle;
    }
    return this.#connections.size < this.#options.max ? this.#open() : undefined;
  }

  #open(): Connection {
    const connection: Connection = {
      ...this.#options.open(() => this.#discard(connection, closedError())),
      openedAt: this.#now(),
      state: 'opening',
      fail: () => {},
    };
    this.#connections.add(connection);
    return connection;
  }

  /** Resolves or rejects with the work, or rejects when the connection fails: the driver forgets some of the statements of a failed connection. */
  async #run<T>(connection: Connection, work: Work<T>, milliseconds: number): Promise<T> {
    const failure = Promise.withResolvers<never>();
    connection.fail = failure.reject;
    const sendOpen = sendBy(connection.client);
    const send: SendStatement = async (text, values) => {
      if (connection.state === 'closed') throw closedError();
      return within(milliseconds, Promise.race([sendOpen(text, values), failure.promise]), () => {
        const error = timeoutError(`The server did not answer within ${milliseconds} ms.`);
        this.#discard(connection, error);
      });
    };
    try {
      return await Promise.race([work(send), failure.promise]);
    } catch (error) {
      if (error instanceof DatabaseUnavailableError || !isConnectionFailure(error)) throw error;
      this.#discard(connection, error);
      throw new DatabaseUnavailableError(error);
    }
  }

  #release(connection: Connection): void {
    connection.fail = () => {};
    if (connection.state === 'closed') return;
    connection.state = 'idle';
    if (this.#now() - connection.openedAt > lifetimeMilliseconds) this.#close(connection);
    this.#serveWaiting();
  }

  #serveWaiting(): void {
    for (const waiter of this.#waiting) {
      const connection = this.#take();
      if (!connection) return;
      this.#waiting.delete(waiter);
      waiter.resolve(connection);
    }
    if ([...this.#connections].every(({ state }) => state === 'idle')) this.#onIdle();
  }

  #discard(connection: Connection, cause: unknown): void {
    if (connection.state === 'closed') return;
    this.#close(connection);
    const error = new DatabaseUnavailableError(cause);
    connection.fail(error);
    const others = [...this.#connections];
    const isOneWorking = others.some(({ state }) => state === 'idle' || state === 'busy');
    // Where no connection works, those who wait would meet the same failure, each after another timeout.
    if (!isOneWorking) this.#refuseWaiting(cause);
    this.#serveWaiting();
  }

  #refuseWaiting(cause: unknown): void {
    for (const waiter of this.#waiting) waiter.reject(new DatabaseUnavailableError(cause));
    this.#waiting.clear();
  }

  #close(connection: Connection): void {
    connection.state = 'closed';
    this.#connections.delete(connection);
    inBackground(endClient(connection, 0));
  }

  #now(): number {
    return this.#options.now?.() ?? performance.now();
  }
}

/** Gives the server some seconds to close the connection, and drops it then. */
async function endClient(connection: PostgresClient, timeout = 2): Promise<void> {
  await connection.client.end({ timeout });
  connection.destroy();
}

/**
 * Waits for the promise; `late` is called if that takes too long, and must resolve or reject it. Time in which this process itself stood
 * still, stopped or without a processor, is given once more: what the server answered meanwhile has not been read.
 */
async function within<T>(milliseconds: number, promise: Promise<T>, late: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const wait = (time: number): void => {
    const due = performance.now() + time;
    timer = setTimeout(() => {
      const standstill = performance.now() - due;
      if (standstill > standstillMinimum) wait(standstill);
      else late();
    }, time);
  };
  if (milliseconds !== Infinity) wait(milliseconds);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

/** In milliseconds; timers of a busy process are late by less. */
const standstillMinimum = 100;

function timeoutError(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' });
}

function closedError(): Error {
  return Object.assign(new Error('The connection was closed.'), { code: 'CONNECTION_CLOSED' });
}

export function sendBy(client: Pick<Client | ReservedSql, 'unsafe'>): SendStatement {
  return (text, values = []) => client.unsafe(text, storableValues(values), { prepare: true });
}
