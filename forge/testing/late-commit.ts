import assert from 'node:assert/strict';

import type { Database } from '#platform/database/database.ts';
import { DatabaseUnavailableError } from '#platform/storage-failure.ts';

class RolledBack extends Error {}

/** A database that loses the connection in its first commit, and makes that commit only after a read. */
export function committingLate(real: Database): {
  readonly database: Database;
  readonly isCommitted: () => boolean;
} {
  let commit: (() => Promise<unknown>) | undefined;
  const seen = { reads: 0, committed: false };
  const database: Database = {
    ...real,
    async write(work, options) {
      if (commit) return real.write(work, options);
      commit = () => real.write(work, options);
      const unseen = real.write(async (sql) => {
        await work(sql);
        throw new RolledBack();
      }, options);
      await assert.rejects(unseen, RolledBack);
      throw new DatabaseUnavailableError(new Error('the connection closed'));
    },
    async read(work) {
      const result = await real.read(work);
      if (commit) seen.reads += 1;
      if (seen.reads === 2) {
        await commit?.();
        seen.committed = true;
      }
      return result;
    },
  };
  return { database, isCommitted: () => seen.committed };
}
