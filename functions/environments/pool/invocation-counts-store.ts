import type { Sql } from '#platform/database/database.ts';

/** What the environments of a function did within five minutes. */
export interface InvocationCount {
  readonly functionName: string;
  /** Epoch milliseconds. */
  readonly beginning: number;
  /** Without those that were throttled. */
  readonly invocations: number;
  /** Those that failed, whether the handler returned the error or the program ended. */
  readonly errors: number;
  readonly throttles: number;
  /** The most at once. */
  readonly concurrency: number;
}

/** Adds to what there is of the same function and time. */
export async function addInvocationCount(sql: Sql, count: InvocationCount): Promise<void> {
  await sql.run(
    `insert into function_invocation_counts as own (function_name, beginning, invocations, errors, throttles, concurrency)
      values ($1, $2, $3, $4, $5, $6)
      on conflict (function_name, beginning) do update set invocations = own.invocations + excluded.invocations,
        errors = own.errors + excluded.errors, throttles = own.throttles + excluded.throttles,
        concurrency = case when excluded.concurrency > own.concurrency then excluded.concurrency else own.concurrency end`,
    count.functionName,
    count.beginning,
    count.invocations,
    count.errors,
    count.throttles,
    count.concurrency,
  );
}

/** Of one function, the earliest first. */
export async function listInvocationCounts(
  sql: Sql,
  functionName: string,
  since: number,
): Promise<InvocationCount[]> {
  const rows = await sql.all<InvocationCount>(
    `select function_name as "functionName", beginning, invocations, errors, throttles, concurrency
      from function_invocation_counts where function_name = $1 and beginning >= $2 order by beginning`,
    functionName,
    since,
  );
  return rows.map((row) => ({ ...row }));
}

export async function removeInvocationCounts(sql: Sql, before: number): Promise<void> {
  await sql.run('delete from function_invocation_counts where beginning < $1', before);
}
