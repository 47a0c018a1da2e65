import type { Sql } from '#platform/database/database.ts';

/** One statement of who else may use something. */
export interface StoredStatement {
  readonly id: string;
  /** As callers are shown it: JSON. */
  readonly text: string;
}

/** In the order in which they were added; the qualifier is empty for the function itself. */
export async function listStatements(
  sql: Sql,
  functionId: number,
  qualifier: string,
): Promise<StoredStatement[]> {
  const rows = await sql.all<{ statement_id: string; statement: string }>(
    `select statement_id, statement from function_statements
      where function_id = $1 and qualifier = $2 order by id`,
    functionId,
    qualifier,
  );
  return rows.map((row) => ({ id: row.statement_id, text: row.statement }));
}

/** False when there is one of that id. */
export async function insertStatement(
  sql: Sql,
  functionId: number,
  qualifier: string,
  statement: StoredStatement,
): Promise<boolean> {
  const inserted = await sql.run(
    `insert into function_statements (function_id, qualifier, statement_id, statement)
      values ($1, $2, $3, $4) on conflict (function_id, qualifier, statement_id) do nothing`,
    functionId,
    qualifier,
    statement.id,
    statement.text,
  );
  return inserted === 1;
}

/** Whether it was there. */
export async function deleteStatement(
  sql: Sql,
  functionId: number,
  qualifier: string,
  id: string,
): Promise<boolean> {
  const deleted = await sql.run(
    'delete from function_statements where function_id = $1 and qualifier = $2 and statement_id = $3',
    functionId,
    qualifier,
    id,
  );
  return deleted === 1;
}

/** The whole policy of a version or alias that goes. */
export async function deleteStatements(
  sql: Sql,
  functionId: number,
  qualifier: string,
): Promise<void> {
  await sql.run(
    'delete from function_statements where function_id = $1 and qualifier = $2',
    functionId,
    qualifier,
  );
}
