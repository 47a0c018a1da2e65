import { setTimeout as pause } from 'node:timers/promises';

import postgres from 'postgres';
import type { Sql as Client, TransactionSql } from 'postgres';

import type { Database, Sql, SqlValue, Statements, WriteOptions } from './database.ts';
import { createLanes } from './lanes.ts';
import type { Log } from './log.ts';
import type { Migration } from './migration-files.ts';
import { applyMigrations } from './migration-store.ts';
import { createNotifications } from './notifications.ts';
import { oneStatement } from './one-statement.ts';
import { OperatorError } from './operator-error.ts';
import { postgresAddress } from './postgres-options.ts';
import { systemRandom } from './random.ts';
import { DatabaseUnavailableError } from './storage-failure.ts';
import { storableValues } from './storable-values.ts';
import { transactionScope } from './transaction-scope.ts';

export interface PostgresLimits {
  /** Connections for reads, and as many for writes. */
  readonly connectionsMax: number;
  /** A statement, or a write function between two statements, that takes longer is ended by the server. */
  readonly statementMilliseconds: number;
}

/** Connects to PostgreSQL, or what speaks its protocol. Any number of processes may use one database. */
export async function openPostgres(
  text: string,
  migrations: readonly Migration[],
  log?: Log,
  limits: PostgresLimits = { connectionsMax: 10, statementMilliseconds: 10_000 },
): Promise<Database> {
  const address = postgresAddress(text, log);
  const client = (readOnly: boolean): Client =>
    postgres(address.url, {
      ...address.options,
      max: limits.connectionsMax,
      connection: {
        application_name: 'hob',
        default_transaction_read_only: readOnly,
        statement_timeout: limits.statementMilliseconds,
        idle_in_transaction_session_timeout: limits.statementMilliseconds,
      },
    });
  const writing = client(false);
  try {
    await migrate(writing, migrations, log);
  } catch (error) {
    await writing.end({ timeout: 0 });
    throw isConnectionFailure(error) ? unreachable(address.shown, error) : error;
  }
  return postgresDatabase(writing, client(true), log);
}

function postgresDatabase(writing: Client, reading: Client, log?: Log): Database {
  const lanes = createLanes();
  const notifications = createNotifications();
  const readStatements = postgresStatements(reading);
  let closing: Promise<void> | undefined;

  async function write<T>(work: (sql: Sql) => Promise<T>, options?: WriteOptions): Promise<T> {
    if (closing) throw new Error('The database is closed.');
    const attempt = async (): Promise<T> => {
      const { value, notified } = await orUnavailable(serializable(writing, work, log));
      notifications.deliver(notified);
      return value;
    };
    return options?.lane === undefined ? attempt() : lanes.run(options.lane, attempt);
  }

  async function close(): Promise<void> {
    await Promise.all([writing.end(), reading.end()]);
  }

  return {
    engine: 'postgres',
    async read(work) {
      if (closing) throw new Error('The database is closed.');
      return orUnavailable(snapshot(reading, work));
    },
    async readOne(work) {
      if (closing) throw new Error('The database is closed.');
      return orUnavailable(oneStatement(readStatements, work));
    },
    write,
    listen: notifications.listen,
    revision: () => undefined,
    close: () => (closing ??= close()),
  };
}

/** Runs a transaction whose statements all see what was committed when the first of them ran. */
function snapshot<T>(client: Client, work: (sql: Sql) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    client
      .begin('isolation level repeatable read read only', async (connection) => {
        // Answered before the commit, which decides nothing for a read.
        resolve((await scoped(connection, work, 'read')).value);
      })
      .catch(reject);
  });
}

/** Runs a transaction as if it were alone; where it was not, PostgreSQL refuses it and it is tried again. */
async function serializable<T>(
  client: Client,
  work: (sql: Sql) => Promise<T>,
  log?: Log,
): Promise<Worked<T>> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await transaction(client, 'isolation level serializable', work);
    } catch (error) {
      if (!isSerializationFailure(error) || tries === triesMax) throw error;
      log?.debug({ tries }, 'transaction tried again');
      // Half of the pause is random, so that those who collided do not meet again.
      await pause(Math.min(2 ** tries, 200) * (0.5 + systemRandom.fraction() / 2));
    }
  }
}

const triesMax = 30;

async function transaction<T>(
  client: Client,
  mode: string,
  work: (sql: Sql) => Promise<T>,
): Promise<Worked<T>> {
  let result: Worked<T> | undefined;
  await client.begin(mode, async (connection) => {
    result = await scoped(connection, work, 'write');
  });
  if (!result) throw new Error('The transaction ended without its work.');
  return result;
}

/** What a function came to, and the channels that its commit is told on. */
interface Worked<T> {
  readonly value: T;
  readonly notified: ReadonlySet<string>;
}

async function scoped<T>(
  connection: TransactionSql,
  work: (sql: Sql) => Promise<T>,
  access: 'read' | 'write',
): Promise<Worked<T>> {
  const scope = transactionScope(postgresStatements(connection), access);
  try {
    const value = await work(scope.sql);
    scope.assertSound();
    return { value, notified: scope.notified };
  } finally {
    scope.end();
  }
}

async function migrate(client: Client, migrations: readonly Migration[], log?: Log): Promise<void> {
  // Not serializable: whoever waited for the lock must see what its holder did.
  await transaction(client, 'isolation level read committed', async (sql) => {
    await sql.all(`select pg_advisory_xact_lock(${migrationLock})`);
    await sql.all('set local statement_timeout = 0');
    await applyMigrations(sql, 'postgres', migrations, log);
  });
}

/** Any number that others who use the database are unlikely to lock. */
const migrationLock = 7_086_202_601;

export function postgresStatements(connection: Client | TransactionSql): Statements {
  const send = (text: string, values: readonly SqlValue[]) =>
    connection.unsafe(text, storableValues(values), { prepare: true });
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

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** serialization_failure and deadlock_detected. */
function isSerializationFailure(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error));
}

/**
 * The system's codes, the client's, and the server's: classes 08 (connection), 28 (who) and 3D (which database), too many
 * connections, and a server that stops, has crashed or starts (PostgreSQL, Appendix A).
 */
function isConnectionFailure(error: unknown): boolean {
  return /^(E[A-Z]+$|CONNECT|08|28|3D|53300|57P0[123])/.test(codeOf(error));
}

/** Whoever asks the database is told by one error that it is not there. */
async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isConnectionFailure(error) ? new DatabaseUnavailableError(error) : error;
  }
}

function unreachable(shown: string, cause: unknown): OperatorError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OperatorError(`The database ${shown} cannot be used: ${reason}.`, { cause });
}
