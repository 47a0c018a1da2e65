import type { Sql } from '#platform/database/database.ts';

import { versionName, versionNumberOf } from '../configuration/function-record.ts';
import type { Execution, ExecutionEnd, ExecutionStatus, NewExecution, Run } from './execution.ts';
import type { ErrorObject } from './operation.ts';

interface ExecutionRow {
  id: number;
  function_id: number;
  function_name: string;
  name: string;
  key: string;
  number: number;
  qualifier: string;
  client_context: string | null;
  tenant_id: string | null;
  trace_header: string | null;
  timeout_seconds: number;
  retention_days: number;
  started_at: number;
  times_out_at: number;
  status: ExecutionStatus;
  ended_at: number | null;
  run_id: string | null;
  run_token: string | null;
  run_started_at: number | null;
  checkpoint: number;
  client_token: string | null;
  failures: number;
  delays: number;
  operations: number;
  events: number;
  caller_id: number | null;
  caller_operation: string | null;
}

/** Without the payloads, which may be large and are seldom needed. */
const selectExecutions = `select e.id, e.function_id, f.name as function_name, e.name, e.key, e.number, e.qualifier,
  e.client_context, e.tenant_id, e.trace_header, e.timeout_seconds, e.retention_days, e.started_at, e.times_out_at, e.status,
  e.ended_at, e.run_id, e.run_token, e.run_started_at, e.checkpoint, e.client_token, e.failures, e.delays, e.operations,
  e.events, e.caller_id, e.caller_operation
  from durable_executions e join functions f on f.id = e.function_id`;

/** Undefined when the function has an execution of that name. The new one is due immediately. */
export async function insertExecution(
  sql: Sql,
  planned: NewExecution,
  now: number,
): Promise<number | undefined> {
  const row = await sql.get<{ id: number }>(
    `insert into durable_executions (function_id, name, key, number, qualifier, input, client_context, tenant_id,
        trace_header, timeout_seconds, retention_days, started_at, times_out_at, status, due_at, caller_id, caller_operation,
        bytes)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'RUNNING', $12, $14, $15, $16)
      on conflict (function_id, name) do nothing returning id`,
    planned.functionId,
    planned.name,
    planned.key,
    versionNumberOf(planned),
    planned.qualifier,
    planned.input,
    planned.clientContext ?? null,
    planned.tenantId ?? null,
    planned.traceHeader ?? null,
    planned.timeoutSeconds,
    planned.retentionDays,
    now,
    now + planned.timeoutSeconds * 1000,
    planned.caller?.executionId ?? null,
    planned.caller?.operationId ?? null,
    Buffer.byteLength(planned.input) + Buffer.byteLength(planned.clientContext ?? ''),
  );
  return row?.id;
}

/** What the executions of a function that have not ended come to. */
export async function measureRunning(
  sql: Sql,
  functionId: number,
): Promise<{ readonly executions: number; readonly bytes: number }> {
  const row = await sql.get<{ executions: number; bytes: number }>(
    `select count(*) as executions, cast(coalesce(sum(bytes), 0) as bigint) as bytes from durable_executions
      where function_id = $1 and status = 'RUNNING'`,
    functionId,
  );
  return row ?? { executions: 0, bytes: 0 };
}

export async function findExecution(sql: Sql, key: string): Promise<Execution | undefined> {
  const row = await sql.get<ExecutionRow>(`${selectExecutions} where e.key = $1`, key);
  return row && executionOf(row);
}

export async function findExecutionById(sql: Sql, id: number): Promise<Execution | undefined> {
  const row = await sql.get<ExecutionRow>(`${selectExecutions} where e.id = $1`, id);
  return row && executionOf(row);
}

export async function findExecutionByName(
  sql: Sql,
  functionId: number,
  name: string,
): Promise<Execution | undefined> {
  const row = await sql.get<ExecutionRow>(
    `${selectExecutions} where e.function_id = $1 and e.name = $2`,
    functionId,
    name,
  );
  return row && executionOf(row);
}

/** The input and the outcome of an execution. */
interface Payloads {
  readonly input: string;
  readonly result: string | undefined;
  readonly error: ErrorObject | undefined;
}

export async function findPayloads(sql: Sql, id: number): Promise<Payloads> {
  const row = await sql.get<{ input: string; result: string | null; error: string | null }>(
    'select input, result, error from durable_executions where id = $1',
    id,
  );
  if (!row) throw new Error('Execution not found.');
  return {
    input: row.input,
    result: row.result ?? undefined,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this file
    error: row.error === null ? undefined : (JSON.parse(row.error) as ErrorObject),
  };
}

/** A current run ends only when it has responded: until then its last checkpoint may be repeated. */
export async function storeEnd(
  sql: Sql,
  { id, retentionDays }: Pick<Execution, 'id' | 'retentionDays'>,
  end: ExecutionEnd,
  now: number,
): Promise<void> {
  await sql.run(
    `update durable_executions set status = $2, result = $3, error = $4, ended_at = $5, expires_at = $6, due_at = null
      where id = $1`,
    id,
    end.status,
    end.status === 'SUCCEEDED' ? (end.result ?? null) : null,
    end.status === 'SUCCEEDED' ? null : JSON.stringify(end.error),
    now,
    now + retentionDays * dayMilliseconds,
  );
}

const dayMilliseconds = 86_400_000;

function executionOf(row: ExecutionRow): Execution {
  return {
    id: row.id,
    functionId: row.function_id,
    functionName: row.function_name,
    name: row.name,
    key: row.key,
    version: versionName(row.number),
    qualifier: row.qualifier,
    clientContext: row.client_context ?? undefined,
    tenantId: row.tenant_id ?? undefined,
    traceHeader: row.trace_header ?? undefined,
    timeoutSeconds: row.timeout_seconds,
    retentionDays: row.retention_days,
    startedAt: row.started_at,
    timesOutAt: row.times_out_at,
    status: row.status,
    endedAt: row.ended_at ?? undefined,
    run: runOf(row),
    checkpoint: row.checkpoint,
    clientToken: row.client_token ?? undefined,
    failures: row.failures,
    delays: row.delays,
    operations: row.operations,
    events: row.events,
    caller:
      row.caller_id === null || row.caller_operation === null
        ? undefined
        : { executionId: row.caller_id, operationId: row.caller_operation },
  };
}

function runOf({ run_id, run_token, run_started_at }: ExecutionRow): Run | undefined {
  if (run_id === null || run_token === null || run_started_at === null) return undefined;
  return { requestId: run_id, secret: run_token, startedAt: run_started_at };
}

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

/** Executions that have timed out. */
export async function overdueExecutions(sql: Sql, now: number, limit: number): Promise<number[]> {
  const rows = await sql.all<{ id: number }>(
    `select id from durable_executions where status = 'RUNNING' and times_out_at <= $1 order by times_out_at limit $2`,
    now,
    limit,
  );
  return rows.map(({ id }) => id);
}

/** Executions whose retention period has passed. */
export async function expiredExecutions(sql: Sql, now: number, limit: number): Promise<number[]> {
  const rows = await sql.all<{ id: number }>(
    'select id from durable_executions where expires_at <= $1 order by expires_at limit $2',
    now,
    limit,
  );
  return rows.map(({ id }) => id);
}

export async function deleteExecution(sql: Sql, id: number): Promise<void> {
  await sql.run('delete from durable_executions where id = $1', id);
}
