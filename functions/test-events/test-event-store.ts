import type { Sql } from '#platform/database/database.ts';

/** An event to test a function with, which everyone who may use the console shares. */
export interface TestEvent {
  readonly name: string;
  /** JSON, as it was written. */
  readonly event: string;
}

export async function listTestEvents(sql: Sql, functionId: number): Promise<readonly string[]> {
  const rows = await sql.all<{ name: string }>(
    'select name from function_test_events where function_id = $1 order by name',
    functionId,
  );
  return rows.map(({ name }) => name);
}

export async function findTestEvent(
  sql: Sql,
  functionId: number,
  name: string,
): Promise<TestEvent | undefined> {
  return sql.get<{ name: string; event: string }>(
    'select name, event from function_test_events where function_id = $1 and name = $2',
    functionId,
    name,
  );
}

/** Replaces the one of this name. */
export async function storeTestEvent(
  sql: Sql,
  functionId: number,
  { name, event }: TestEvent,
  now: number,
): Promise<void> {
  await sql.run(
    `insert into function_test_events (function_id, name, event, modified_at) values ($1, $2, $3, $4)
      on conflict (function_id, name) do update set event = excluded.event, modified_at = excluded.modified_at`,
    functionId,
    name,
    event,
    now,
  );
}

export async function deleteTestEventRow(
  sql: Sql,
  functionId: number,
  name: string,
): Promise<void> {
  await sql.run(
    'delete from function_test_events where function_id = $1 and name = $2',
    functionId,
    name,
  );
}
