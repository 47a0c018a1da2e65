import type { Sql } from '#platform/database/database.ts';

/** Notified of pushes, merges and every other change of branches, in its transaction: what it writes is as durable as the push. */
export interface PushListener {
  /** The branches were created or moved. */
  pushed(sql: Sql, repositoryId: number, branches: ReadonlySet<string>): Promise<void>;
}
