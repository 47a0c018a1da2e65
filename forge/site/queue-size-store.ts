import type { Sql } from '#platform/database/database.ts';
import { type QueueRow, type QueueSize, queueSizeOf } from '#platform/queue-size.ts';

/** The work that the forge has stored for later. An attempt of a delivery is counted when it begins, so that the second is a retry. */
export async function forgeQueues(sql: Sql): Promise<QueueSize[]> {
  const rows = await sql.all<QueueRow>(
    `select 'webhook_deliveries' as queue, count(*) as items,
        count(case when attempts > 1 then 1 end) as retrying, min(created_at) as oldest_at
      from webhook_deliveries where due_at is not null
     union all
     select 'ref_intents', count(*), 0, min(created_at) from ref_intents`,
  );
  return rows.map(queueSizeOf);
}
