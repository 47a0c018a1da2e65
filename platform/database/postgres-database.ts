import { setTimeout as pause } from 'node:timers/promises';

import { errorCode } from '../error-code.ts';
import type { Database, Sql, SqlValue, Statements, WriteOptions } from './database.ts';
import { createSerialQueues } from '../serial-queues.ts';
import type { Log } from '../log.ts';
import type { Migration } from './migration-files.ts';
import { applyMigrations, type MigrationOptions } from './migration-store.ts';
import { createNotifications } from './notifications.ts';
import { oneStatement } from './one-statement.ts';
import { openPostgresClient, unreachableDatabase } from './postgres-client.ts';
import {
  createPostgresConnections,
  type PostgresConnections,
  type PostgresTimeouts,
  type SendStatement,
} from './postgres-connections.ts';
import { type PostgresAddress, postgresAddress } from './postgres-options.ts';
import { inTurn } from './queue-lock.ts';
import { systemRandom } from '../random.ts';
import { DatabaseUnavailableError, serializationFailureCodes } from '../storage-failure.ts';
import { transactionScope } from './transaction-scope.ts';

export interface PostgresLimits {
  /** Connections for reads, and as many for writes. */
  readonly connectionsMax: number;
  /** A statement, or a write function between two statements, that takes longer is ended by the server. */
  readonly statementMilliseconds: number;
  /** Whether other processes write with the same queues. */
  readonly sharesQueues: boolean;
  /** Whether those may be of a newer version. */
  readonly toleratesExpansions: boolean;
  /** What Hob itself ends; longer than `statementMilliseconds`, since an error of the server says more. */
  readonly timeouts: PostgresTimeouts;
}

/**
 * PostgreSQL: connections for reads, and as many for writes; a statement, which the server ends; and what Hob itself ends: a
 * statement that the server does not answer, whose connection is dropped, the wait for a free connection, and transactions
 * under way when the server stops.
 */
const defaultLimits: PostgresLimits = {
  connectionsMax: 10,
  statementMilliseconds: 10_000,
  sharesQueues: false,
  toleratesExpansions: false,
  timeouts: {
    statementMilliseconds: 15_000,
    acquireMilliseconds: 30_000,
    endMilliseconds: 20_000,
  },
};

/** Connects to PostgreSQL, or what speaks its protocol. Any number of processes may use one database. */
export async function openPostgres(
  text: string,
  migrations: readonly Migration[],
  log?: Log,
  changed: Partial<PostgresLimits> = {},
): Promise<Database> {
  const limits = { ...defaultLimits, ...changed };
  const address = postgresAddress(text, log);
  const sessionOptions = (readOnly: boolean): PostgresAddress['options'] => ({
    ...address.options,
    // The pool ends old connections: the driver would do so in the middle of a transaction.
    max_lifetime: null,
    // A standby would answer with what it has received so far, and write nothing.
    target_session_attrs: 'primary',
    connection: {
      application_name: 'hob',
      default_transaction_read_only: readOnly,
      statement_timeout: limits.statementMilliseconds,
      idle_in_transaction_session_timeout: limits.statementMilliseconds,
    },
  });
  const connections = (readOnly: boolean): PostgresConnections =>
    createPostgresConnections({
      max: limits.connectionsMax,
      timeouts: limits.timeouts,
      open: (onclose) => openPostgresClient(address.url, sessionOptions(readOnly), onclose),
    });
  const writing = connections(false);
  try {
    // A migration takes as long as the tables are large.
    const { toleratesExpansions } = limits;
    const migrating = { log, toleratesExpansions };
    await writing.use((send) => migrate(send, migrations, migrating), Infinity);
  } catch (error) {
    await writing.end();
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    throw unreachableDatabase(address.shown, error.cause);
  }
  return postgresDatabase(writing, connections(true), limits, log);
}

function postgresDatabase(
  writing: PostgresConnections,
  reading: PostgresConnections,
  { sharesQueues, statementMilliseconds }: PostgresLimits,
  log?: Log,
): Database {
  const serialQueues = createSerialQueues();
  const notifications = createNotifications();
  let closing: Promise<void> | undefined;
  let retries = 0;
  const noteRetry = (tries: number): void => {
    retries += 1;
    log?.debug({ tries }, 'transaction tried again');
  };

  async function write<T>(work: (sql: Sql) => Promise<T>, options?: WriteOptions): Promise<T> {
    if (closing) throw new Error('The database is closed.');
    const { queue, isolation = 'serializable' } = options ?? {};
    const run = (send: SendStatement): Promise<Worked<T>> =>
      isolated(send, isolation, work, noteRetry);
    const attempt = async (): Promise<T> => {
      const { value, notified } = await (sharesQueues && queue !== undefined
        ? inTurn(writing, { name: queue, idleMilliseconds: statementMilliseconds }, run)
        : writing.use(run));
      notifications.deliver(notified);
      return value;
    };
    return queue === undefined ? attempt() : serialQueues.run(queue, attempt);
  }

  async function close(): Promise<void> {
    await Promise.all([writing.end(), reading.end()]);
  }

  return {
    engine: 'postgres',
    async read(work) {
      if (closing) throw new Error('The database is closed.');
      return snapshot(reading, work);
    },
    async readOne(work) {
      if (closing) throw new Error('The database is closed.');
      return reading.use((send) => oneStatement(postgresStatements(send), work));
    },
    write,
    listen: notifications.listen,
    dataVersion: () => undefined,
    retries: () => retries,
    close: () => (closing ??= close()),
  };
}

/** Runs a transaction whose statements all see what was committed when the first of them ran. */
function snapshot<T>(connections: PostgresConnections, work: (sql: Sql) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    connections
      .use((send) =>
        transaction(send, 'isolation level repeatable read read only', async () => {
          // Answered before the commit, which decides nothing for a read.
          resolve((await scoped(send, work, 'read')).value);
        }),
      )
      .catch(reject);
  });
}

/** Runs a transaction, and again where PostgreSQL refuses it because of another. A serializable one runs as if it were alone. */
async function isolated<T>(
  send: SendStatement,
  isolation: 'serializable' | Required<WriteOptions>['isolation'],
  work: (sql: Sql) => Promise<T>,
  noteRetry: (tries: number) => void,
): Promise<Worked<T>> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await transaction(send, `isolation level ${isolation}`, () =>
        scoped(send, work, 'write'),
      );
    } catch (error) {
      if (!isSerializationFailure(error) || tries === triesMax) throw error;
      noteRetry(tries);
      // Half of the pause is random, so that those who collided do not meet again.
      await pause(Math.min(2 ** tries, 200) * (0.5 + systemRandom.fraction() / 2));
    }
  }
}

/** PostgreSQL: attempts of a write that collides. */
const triesMax = 30;

async function transaction<T>(
  send: SendStatement,
  mode: string,
  work: () => Promise<T>,
): Promise<T> {
  await send(`begin ${mode}`);
  try {
    const result = await work();
    await send('commit');
    return result;
  } catch (error) {
    // Whatever refuses the rollback has ended the transaction as well.
    await send('rollback').catch(() => {});
    throw error;
  }
}

/** What a function came to, and the channels that its commit notifies. */
interface Worked<T> {
  readonly value: T;
  readonly notified: ReadonlySet<string>;
}

async function scoped<T>(
  send: SendStatement,
  work: (sql: Sql) => Promise<T>,
  access: 'read' | 'write',
): Promise<Worked<T>> {
  const scope = transactionScope(postgresStatements(send), access);
  try {
    const value = await work(scope.sql);
    scope.assertSound();
    return { value, notified: scope.notified };
  } finally {
    scope.end();
  }
}

async function migrate(
  send: SendStatement,
  migrations: readonly Migration[],
  options: MigrationOptions,
): Promise<void> {
  // Not serializable: the one that waited for the lock must see what its holder did.
  const apply = async (sql: Sql): Promise<void> => {
    await sql.all(`select pg_advisory_xact_lock(${migrationLock})`);
    await sql.all('set local statement_timeout = 0');
    await applyMigrations(sql, 'postgres', migrations, options);
  };
  await transaction(send, 'isolation level read committed', () => scoped(send, apply, 'write'));
}

/** Any number that others who use the database are unlikely to lock. */
const migrationLock = 7_086_202_601;

export function postgresStatements(send: SendStatement): Statements {
  return {
    async all<R extends object>(text: string, ...values: readonly SqlValue[]) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- rows get their type where they are asked for
      return [...(await send(text, values))] as unknown[] as R[];
    },
    async get<R extends object>(text: string, ...values: readonly SqlValue[]) {
      const [row] = await send(text, values);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- rows get their type where they are asked for
      return row as R | undefined;
    },
    async run(text, ...values) {
      return (await send(text, values)).count;
    },
  };
}

function isSerializationFailure(error: unknown): boolean {
  return serializationFailureCodes.includes(errorCode(error) ?? '');
}
