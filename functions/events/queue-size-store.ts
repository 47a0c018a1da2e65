import type { Sql } from '#platform/database/database.ts';
import { type QueueRow, type QueueSize, queueSizeOf } from '#platform/queue-size.ts';

/** The work that the function service has stored for later. An execution may wait for a year as its program says, so its age means nothing. */
export async function functionQueues(sql: Sql): Promise<QueueSize[]> {
  const rows = await sql.all<QueueRow>(
    `select 'function_events' as queue, count(*) as items,
        count(case when attempts > 0 or delays > 0 then 1 end) as retrying, min(accepted_at) as oldest_at
      from function_events
     union all
     select 'function_messages', count(*), count(case when attempts > 0 then 1 end), min(created_at)
      from function_messages
     union all
     select 'durable_executions', count(*), count(case when failures > 0 or delays > 0 then 1 end), null
      from durable_executions where status = 'RUNNING'
     union all
     select 'push_deployments', count(*), 0, null from function_push_deployments where due_at is not null`,
  );
  return rows.map(queueSizeOf);
}
