import type { Database, Sql } from '#platform/database/database.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import { measureCode } from './code-store.ts';

/** The code storage of the account: every version of a function or layer counts its archive. */
export interface CodeStorageQuota {
  /**
   * Reserves storage while `store` runs, or refuses before that if there is not enough. `replaced` is the storage of what `store` replaces.
   */
  reserve<T>(bytes: number, replaced: number, store: () => Promise<T>): Promise<T>;
  /**
   * Runs the transaction that inserts the rows of `bytes` of code. What other servers insert at the same time is not part of any
   * reservation, so where there are others the sum is checked in the transaction, and they insert one after the other.
   */
  write<T>(
    database: Pick<Database, 'write'>,
    bytes: number,
    work: (sql: Sql) => Promise<T>,
  ): Promise<T>;
}

/**
 * `measure` reads the storage in use. It takes longer with every function, so a server that is alone calls it first and whenever the quota
 * may be exceeded; in between, additions are counted and removals are not.
 */
export function createCodeStorageQuota(
  bytesMax: number,
  measure: () => Promise<number>,
  /** Other servers add code as well. */
  isShared = false,
): CodeStorageQuota {
  let known: number | undefined;
  let underWay = 0;
  let added = 0;

  async function measured(): Promise<number> {
    const before = added;
    const bytes = await measure();
    // Additions made meanwhile may or may not be included, so we count them.
    return bytes + (added - before);
  }

  return {
    async reserve(bytes, replaced, store) {
      if (known === undefined || isShared || known + underWay + bytes > bytesMax) {
        known = await measured();
      }
      if (known + underWay + bytes - replaced > bytesMax) throw codeStorageExceeded();
      underWay += bytes;
      try {
        const stored = await store();
        known += bytes;
        added += bytes;
        return stored;
      } finally {
        underWay -= bytes;
      }
    },
    write(database, bytes, work) {
      if (!isShared || bytes === 0) return database.write(work);
      const insert = async (sql: Sql): ReturnType<typeof work> => {
        const inserted = await work(sql);
        if ((await measureCode(sql)) > bytesMax) throw codeStorageExceeded();
        return inserted;
      };
      return database.write(insert, { queue: 'code storage' });
    },
  };
}

function codeStorageExceeded(): FunctionsError {
  return new FunctionsError('CodeStorageExceededException', 'Code storage limit exceeded.');
}
