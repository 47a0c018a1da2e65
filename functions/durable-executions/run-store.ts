import type { Sql } from '#platform/database.ts';

import type { Run } from './execution.ts';

/**
 * Whoever else changes the execution at the same time waits for this transaction, and then begins anew: nobody counts on what
 * another has changed meanwhile.
 */
export async function lockExecution(sql: Sql, id: number): Promise<void> {
  await sql.run('update durable_executions set checkpoint = checkpoint where id = $1', id);
}

/** Those that are to be run now, longest due first, and of no function more than so many. */
export async function dueExecutions(
  sql: Sql,
  now: number,
  most: { readonly ofOne: number; readonly inAll: number },
): Promise<{ id: number; function_id: number }[]> {
  return sql.all(
    `select id, function_id from (
        select id, function_id, due_at, row_number() over (partition by function_id order by due_at, id) as place
        from durable_executions where status = 'RUNNING' and due_at <= $1
      ) q where place <= $2 order by due_at, id limit $3`,
    now,
    most.ofOne,
    most.inAll,
  );
}

/** Takes an execution on; false when it is not due any more. A run that was lost is forgotten. */
export async function claimExecution(
  sql: Sql,
  id: number,
  run: Run,
  until: number,
): Promise<boolean> {
  const changed = await sql.run(
    `update durable_executions set due_at = $5, run_id = $2, run_token = $3, run_started_at = $4,
        checkpoint = checkpoint + 1, client_token = null
      where id = $1 and status = 'RUNNING' and due_at <= $4`,
    id,
    run.requestId,
    run.secret,
    run.startedAt,
    until,
  );
  return changed === 1;
}

/** Makes due what a server had taken on and did not finish. */
export async function releaseExecutions(sql: Sql, now: number): Promise<void> {
  await sql.run(
    `update durable_executions set due_at = case when status = 'RUNNING' then cast($1 as bigint) end,
        run_id = null, run_token = null, run_started_at = null where run_id is not null`,
    now,
  );
}

export async function releaseExecution(sql: Sql, id: number, now: number): Promise<void> {
  await sql.run(
    `update durable_executions set due_at = case when status = 'RUNNING' then cast($2 as bigint) end,
        run_id = null, run_token = null, run_started_at = null where id = $1 and run_id is not null`,
    id,
    now,
  );
}

export interface RunEnd {
  /** When it is run again; undefined: when something happens to it. */
  readonly dueAt: number | undefined;
  readonly failures: number;
  readonly delays: number;
}

export async function storeRunEnd(sql: Sql, id: number, end: RunEnd): Promise<void> {
  await sql.run(
    `update durable_executions set due_at = case when status = 'RUNNING' then cast($2 as bigint) end, failures = $3, delays = $4,
        run_id = null, run_token = null, run_started_at = null where id = $1`,
    id,
    end.dueAt ?? null,
    end.failures,
    end.delays,
  );
}

export async function storeCheckpoint(
  sql: Sql,
  id: number,
  clientToken: string | undefined,
): Promise<void> {
  await sql.run(
    'update durable_executions set checkpoint = checkpoint + 1, client_token = $2 where id = $1',
    id,
    clientToken ?? null,
  );
}

/** How many operations and events there are now. */
export async function storeCounts(
  sql: Sql,
  id: number,
  { operations, events }: { readonly operations: number; readonly events: number },
): Promise<void> {
  await sql.run(
    'update durable_executions set operations = $2, events = $3 where id = $1',
    id,
    operations,
    events,
  );
}

/** Has an execution run at a time, unless it runs: then the end of that run finds what there is to do. */
export async function makeDue(sql: Sql, id: number, at: number | undefined): Promise<void> {
  await sql.run(
    `update durable_executions set due_at = $2 where id = $1 and status = 'RUNNING' and run_id is null`,
    id,
    at ?? null,
  );
}
