import type { Sql } from '#platform/database/database.ts';

/**
 * Events that a retry, or the end of retries, on the pages for site administrators changes at once: writers wait for
 * milliseconds only.
 */
const actRowsMax = 1000;

/** Have failed, or could not be run, and wait for their next attempt, which no server is making: also when the row is written. */
const waiting = {
  function_events: 'claimed_by is null and (attempts > 0 or delays > 0)',
  function_messages: 'claimed_by is null and attempts > 0',
} as const;

export type RetriedQueue = keyof typeof waiting;

export function isRetriedQueue(queue: string): queue is RetriedQueue {
  return Object.hasOwn(waiting, queue);
}

/** Makes the next attempts of what has failed due, and returns how many. */
export async function retryNow(sql: Sql, queue: RetriedQueue, now: number): Promise<number> {
  return sql.run(
    `update ${queue} set due_at = $1 where ${waiting[queue]} and id in (
       select id from ${queue} where due_at > $1 and ${waiting[queue]} order by due_at, id limit $2)`,
    now,
    actRowsMax,
  );
}
