import type { Database } from '#platform/database/database.ts';

/** Writes of a test come to wait within milliseconds; a busy machine takes longer. */
const patienceMilliseconds = 30_000;

/** Something waits for a lock of PostgreSQL; SQLite has one writer. */
export async function untilSomeoneWaits(
  database: Database,
  patience: number = patienceMilliseconds,
): Promise<void> {
  if (database.engine !== 'postgres') return;
  const waiting = `select 1 as found from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const deadline = performance.now() + patience;
  while (!(await database.readOne((sql) => sql.get(waiting)))) {
    if (performance.now() < deadline) continue;
    throw new Error(`No write came to wait for a lock within ${patience} ms.`);
  }
}
