import type { Sql } from '#platform/database/database.ts';

import type { RecursiveLoop } from './lineage.ts';

/** Undefined when there is no such function. */
export async function readRecursion(sql: Sql, name: string): Promise<RecursiveLoop | undefined> {
  const row = await sql.get<{ recursion_loop: RecursiveLoop }>(
    'select recursion_loop from functions where name = $1',
    name,
  );
  return row?.recursion_loop;
}

/** False when there is no such function. */
export async function writeRecursion(
  sql: Sql,
  name: string,
  loop: RecursiveLoop,
): Promise<boolean> {
  const changed = await sql.run(
    'update functions set recursion_loop = $2 where name = $1',
    name,
    loop,
  );
  return changed === 1;
}
