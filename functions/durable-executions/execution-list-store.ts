import type { Sql } from '#platform/database/database.ts';

import { executionOf, selectExecutions, type ExecutionRow } from './execution-store.ts';
import type { Execution, ExecutionStatus } from './execution.ts';

export interface ExecutionFilter {
  readonly functionId: number;
  /** 0 is $LATEST. */
  readonly version: number | undefined;
  readonly name: string | undefined;
  readonly statuses: readonly ExecutionStatus[] | undefined;
  readonly startedAfter: number | undefined;
  readonly startedBefore: number | undefined;
  readonly oldestFirst: boolean;
  /** The last execution of the previous page. */
  readonly after: { readonly startedAt: number; readonly id: number } | undefined;
}

export async function listExecutions(
  sql: Sql,
  filter: ExecutionFilter,
  limit: number,
): Promise<Execution[]> {
  const values: (string | number)[] = [filter.functionId];
  const conditions = ['e.function_id = $1'];
  const value = (given: string | number): string => `$${values.push(given)}`;
  const { version, name, statuses, startedAfter, startedBefore, after, oldestFirst } = filter;
  if (version !== undefined) conditions.push(`e.number = ${value(version)}`);
  if (name !== undefined) conditions.push(`e.name = ${value(name)}`);
  if (statuses) conditions.push(`e.status in (${statuses.map(value).join(', ')})`);
  if (startedAfter !== undefined) conditions.push(`e.started_at > ${value(startedAfter)}`);
  if (startedBefore !== undefined) conditions.push(`e.started_at < ${value(startedBefore)}`);
  const beyond = oldestFirst ? '>' : '<';
  if (after) {
    const at = value(after.startedAt);
    conditions.push(
      `(e.started_at ${beyond} ${at} or (e.started_at = ${at} and e.id ${beyond} ${value(after.id)}))`,
    );
  }
  const order = oldestFirst ? 'asc' : 'desc';
  const rows = await sql.all<ExecutionRow>(
    `${selectExecutions} where ${conditions.join(' and ')}
      order by e.started_at ${order}, e.id ${order} limit ${value(limit)}`,
    ...values,
  );
  return rows.map(executionOf);
}
