import type { Sql } from '../database/database.ts';

/** Runs the queries of a read as they are, and says how many there were. */
export function countingSql(sql: Sql): { readonly sql: Sql; readonly count: () => number } {
  let count = 0;
  const counting: Sql = {
    ...sql,
    get: (...call) => {
      count += 1;
      return sql.get(...call);
    },
    all: (...call) => {
      count += 1;
      return sql.all(...call);
    },
  };
  return { sql: counting, count: () => count };
}
