import type { Sql } from '#platform/database/database.ts';

/** Undefined: none is reserved any more. */
export async function replaceReservation(
  sql: Sql,
  functionId: number,
  reserved: number | undefined,
): Promise<void> {
  await sql.run(
    'update functions set reserved_concurrency = $2 where id = $1',
    functionId,
    reserved ?? null,
  );
}

/** The reserved concurrency of all other functions. */
export async function reservedByOthers(sql: Sql, functionId: number): Promise<number> {
  const row = await sql.get<{ reserved: number | null }>(
    'select sum(reserved_concurrency) as reserved from functions where id <> $1',
    functionId,
  );
  return row?.reserved ?? 0;
}

export interface AccountUsage {
  readonly functions: number;
  readonly reserved: number;
}

export async function readAccountUsage(sql: Sql): Promise<AccountUsage> {
  const row = await sql.get<{ functions: number; reserved: number | null }>(
    'select count(*) as functions, sum(reserved_concurrency) as reserved from functions',
  );
  return { functions: row?.functions ?? 0, reserved: row?.reserved ?? 0 };
}
