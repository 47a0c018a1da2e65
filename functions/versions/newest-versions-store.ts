import type { Sql } from '#platform/database/database.ts';

/** The number after which the newest published versions of a function come, at most so many; 0 if there are no more. */
export async function numberBeforeNewest(
  sql: Sql,
  functionName: string,
  count: number,
): Promise<number> {
  const row = await sql.get<{ number: number }>(
    `select number from function_versions
      where function_id = (select id from functions where name = $1)
      order by number desc limit 1 offset $2`,
    functionName,
    count,
  );
  return row?.number ?? 0;
}
