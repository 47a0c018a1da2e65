import type { Sql } from '#platform/database/database.ts';

import type { FunctionVersion } from '../configuration/function-record.ts';
import { findVersionById } from '../configuration/function-store.ts';

/** The published version with the highest number. */
export async function findLastPublished(
  sql: Sql,
  functionId: number,
): Promise<FunctionVersion | undefined> {
  const row = await sql.get<{ id: number }>(
    'select id from function_versions where function_id = $1 and number > 0 order by number desc limit 1',
    functionId,
  );
  return row && findVersionById(sql, row.id);
}
