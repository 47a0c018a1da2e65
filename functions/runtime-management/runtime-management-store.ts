import type { Sql } from '#platform/database/database.ts';

import type { UpdateRuntimeOn } from './runtime-management.ts';

/** By the name of the version; those that are not there are changed automatically. */
export type Decisions = Readonly<Record<string, UpdateRuntimeOn>>;

export async function readDecisions(sql: Sql, functionId: number): Promise<Decisions> {
  const row = await sql.get<{ runtime_management: string | null }>(
    'select runtime_management from functions where id = $1',
    functionId,
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this file
  return JSON.parse(row?.runtime_management ?? '{}') as Decisions;
}

export async function writeDecision(
  sql: Sql,
  functionId: number,
  version: string,
  decision: UpdateRuntimeOn,
): Promise<void> {
  const decisions = { ...(await readDecisions(sql, functionId)), [version]: decision };
  await sql.run(
    'update functions set runtime_management = $2 where id = $1',
    functionId,
    JSON.stringify(decisions),
  );
}
