import type { Database, Row, Sql, SqlValue } from '../database/database.ts';

/** How PostgreSQL plans the first statement of a read: as a connection does for all later executions, without the values. */
export function genericPlan(
  database: Pick<Database, 'write'>,
  read: (sql: Sql) => Promise<unknown>,
): Promise<string> {
  return database.write(async (sql) => {
    const asked: { readonly text: string; readonly values: readonly SqlValue[] }[] = [];
    const recording: Sql = {
      ...sql,
      all: <R extends object = Row>(text: string, ...values: readonly SqlValue[]) => {
        asked.push({ text, values });
        return sql.all<R>(text, ...values);
      },
      get: <R extends object = Row>(text: string, ...values: readonly SqlValue[]) => {
        asked.push({ text, values });
        return sql.get<R>(text, ...values);
      },
    };
    await read(recording);
    const [{ text, values } = { text: '', values: [] }] = asked;
    await sql.run('set local plan_cache_mode = force_generic_plan');
    await sql.run(`prepare look as ${text}`);
    const shown = values.map((value) => (typeof value === 'string' ? `'${value}'` : value));
    const given = shown.length === 0 ? '' : `(${shown.join(', ')})`;
    const rows = await sql.all<{ 'QUERY PLAN': string }>(`explain execute look ${given}`);
    await sql.run('deallocate look');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}
