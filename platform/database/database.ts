/**
 * The one way to the database: one SQL text for SQLite and PostgreSQL.
 *
 * Statements are written once, with `$1` parameters, in the common ground of both engines. Shared types: text, and
 * integers for ids, epoch milliseconds and booleans (0 or 1); JSON is stored as text. Columns that compare without case
 * have a lower-case twin. Only `*-store.ts` files hold SQL.
 */

/** A value that both engines store and give back unchanged, except that U+0000 in a text becomes U+FFFD. */
export type SqlValue = string | number | null;

/** A row as the engine gives it: column name to value. */
export type Row = Record<string, SqlValue>;

/** Runs statements. */
export interface Statements {
  /** Every row of the result. */
  all<R extends object = Row>(text: string, ...values: readonly SqlValue[]): Promise<R[]>;
  /** The first row of the result, or undefined. */
  get<R extends object = Row>(text: string, ...values: readonly SqlValue[]): Promise<R | undefined>;
  /** The number of rows changed. */
  run(text: string, ...values: readonly SqlValue[]): Promise<number>;
}

/** What read and write functions get; not valid after they return. */
export interface Sql extends Statements {
  /**
   * Notifies the listeners of the channel in this process, once the transaction is committed and only then. In a read it is
   * refused.
   */
  notify(channel: string): void;
}

export interface WriteOptions {
  /**
   * Writes of one queue run one after the other, within this process or on all nodes of a cluster, so that writers of the same rows (a
   * repository's, say) do not make each other retry on PostgreSQL. SQLite has a single writer anyway.
   */
  readonly queue?: string;
  /**
   * Of PostgreSQL; SQLite has a single writer anyway. By default 'serializable': as if it ran alone, but it is tried again because of
   * unrelated rows on the same page of an index, too. The others are not:
   * - 'read committed' for a function that decides by rows which its own first statement locks or changes by comparison: later statements
   *   see what was committed before them.
   * - 'repeatable read' for a function whose first statement changes a row that all writes of what it decides by change as well: all
   *   statements see the same commits, and it is tried again where that row has changed since.
   */
  readonly isolation?: 'read committed' | 'repeatable read';
}

export const readCommitted: WriteOptions = { isolation: 'read committed' };

export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  /**
   * Reads one committed state: every statement of the function sees the same commits, all that were acknowledged before it
   * began among them. It must not write and must await nothing but SQL; a failed statement fails the whole read.
   */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * Reads by one statement without a transaction: on PostgreSQL that saves two round trips. `work` is as in `read`; a second statement
   * is refused.
   */
  readOne<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * Runs one transaction and resolves when it is durable. The function awaits nothing but SQL, has no other effect
   * and may run more than once (PostgreSQL: serialization failures are retried). If it throws, all it did is undone.
   */
  write<T>(work: (sql: Sql) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * Calls the listener after every commit of this process that has notified the channel, and before the write resolves.
   * The listener must not throw. Ends with a call of what is returned.
   */
  listen(channel: string, listener: () => void): () => void;
  /**
   * Another number after every commit of anybody, in whatever process: what was read under one is good while it stands. Undefined
   * where asking would cost as much as reading anew.
   */
  dataVersion(): number | undefined;
  /** How often writes of this process were tried again because of others at the same time; always 0 with SQLite, which has one writer. */
  retries(): number;
  close(): Promise<void>;
}
