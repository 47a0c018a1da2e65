import type { Sql } from '#platform/database/database.ts';

/** Executions that have timed out. */
export async function overdueExecutions(sql: Sql, now: number, limit: number): Promise<number[]> {
  const rows = await sql.all<{ id: number }>(
    `select id from durable_executions where status = 'RUNNING' and times_out_at <= $1 order by times_out_at limit $2`,
    now,
    limit,
  );
  return rows.map(({ id }) => id);
}

/** Executions whose retention period has passed. */
export async function expiredExecutions(sql: Sql, now: number, limit: number): Promise<number[]> {
  const rows = await sql.all<{ id: number }>(
    'select id from durable_executions where expires_at <= $1 order by expires_at limit $2',
    now,
    limit,
  );
  return rows.map(({ id }) => id);
}

export async function deleteExecution(sql: Sql, id: number): Promise<void> {
  await sql.run('delete from durable_executions where id = $1', id);
}
