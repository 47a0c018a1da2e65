import type { Sql } from './database.ts';

/**
 * A copy of a database as of one point in time, taken by a separate process while others continue to write.
 */
export interface DatabaseSnapshot {
  readonly engine: 'sqlite' | 'postgres';
  /** Reads the database as it is now. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * Runs `work` on a frozen state: SQLite holds back all writers, PostgreSQL those of the named
   * tables. That state is the one that `save` copies, also when others write again.
   */
  freeze<T>(tables: readonly string[], work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Copies the frozen state into an existing folder and returns how it is found there. `onProgress` gets the copied fraction, up to 1. */
  save(folder: string, onProgress: (share: number) => void): Promise<SavedDatabase>;
  close(): Promise<void>;
}

/** How a database is saved: one file that SQLite opens, or the rows of each table of PostgreSQL. */
export type SavedDatabase =
  | { readonly engine: 'sqlite'; readonly file: string }
  | {
      readonly engine: 'postgres';
      /** A table comes after those that it refers to. */
      readonly tables: readonly SavedTable[];
      /** The last value that each sequence gave. */
      readonly sequences: Readonly<Record<string, string>>;
    };

export interface SavedTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** In PostgreSQL's text format of COPY. */
  readonly file: string;
}
