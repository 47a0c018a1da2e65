import type { Database } from '#platform/database/database.ts';

/** Something waits for a lock of PostgreSQL; SQLite has one writer. */
export async function untilSomeoneWaits(database: Database): Promise<void> {
  const waiting = `select 1 as found from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  while (database.engine === 'postgres' && !(await database.readOne((sql) => sql.get(waiting))));
}
