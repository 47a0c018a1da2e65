import type { SqlValue, Statements } from './database.ts';

export interface PageBounds {
  readonly offset: number;
  readonly size: number;
}

/** A list in SQL. Its parameters are those of `from`, which has the condition too. */
export interface SqlList {
  readonly columns: string;
  readonly from: string;
  readonly values: readonly SqlValue[];
  readonly order: string;
}

interface SqlPage<R> {
  readonly rows: readonly R[];
  /** Of the whole list. */
  readonly total: number;
}

/** One page of a list, and the number of all its rows. */
export async function selectPage<R extends object>(
  sql: Statements,
  { columns, from, values, order }: SqlList,
  page: PageBounds,
): Promise<SqlPage<R>> {
  const count = await sql.get<{ total: number }>(
    `select count(*) as total from ${from}`,
    ...values,
  );
  const rows = await sql.all<R>(
    `select ${columns} from ${from} order by ${order}
     limit $${values.length + 1} offset $${values.length + 2}`,
    ...values,
    page.size,
    page.offset,
  );
  return { rows, total: count?.total ?? 0 };
}
