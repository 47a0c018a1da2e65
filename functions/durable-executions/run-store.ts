import type { Sql } from '#platform/database/database.ts';

import { dueAheadMilliseconds } from '../events/event-store.ts';
import type { Run } from './execution.ts';

/**
 * Locks the row: a concurrent transaction that changes the execution waits for this one and is then retried, so that none uses stale
 * data.
 */
export async function lockExecution(sql: Sql, id: number): Promise<void> {
  await sql.run('update durable_executions set checkpoint = checkpoint where id = $1', id);
}

/** Executions that are due, longest due first, with a limit for each function. */
export async function dueExecutions(
  sql: Sql,
  now: number,
  most: { readonly ofOne: number; readonly inAll: number; readonly offset: number },
): Promise<{ id: number; function_id: number; name: string }[]> {
  return sql.all(
    `select q.id, q.function_id, f.name from (
        select id, function_id, due_at, row_number() over (partition by function_id order by due_at, id) as position
        from durable_executions where status = 'RUNNING' and due_at <= $1
      ) q join functions f on f.id = q.function_id
      where position <= $2 order by q.due_at, q.id limit $3 offset $4`,
    now,
    most.ofOne,
    most.inAll,
    most.offset,
  );
}

/**
 * Makes due what was stored before the clock was set back: executions that were due, and retries. Otherwise they would wait until the
 * clock has caught up. Times of operations, such as the scheduled end of a wait, are visible to callers and stay. So do claims, which
 * their servers renew.
 */
export async function makeDueAfterClockStep(sql: Sql, now: number): Promise<void> {
  await sql.run(
    `update durable_executions set due_at = $1
      where status = 'RUNNING' and run_id is null and due_at > $2
        and not exists (select 1 from durable_operations o
          where o.execution_id = durable_executions.id and o.due_at = durable_executions.due_at)`,
    now,
    now + dueAheadMilliseconds,
  );
}

/** Claims an execution; false when it is no longer due. Replaces a lost run. */
export async function claimExecution(
  sql: Sql,
  id: number,
  run: Run,
  serverId: string,
  until: number,
): Promise<boolean> {
  const changed = await sql.run(
    `update durable_executions set due_at = $5, run_id = $2, run_token = $3, run_started_at = $4, claimed_by = $6,
        checkpoint = checkpoint + 1, client_token = null
      where id = $1 and status = 'RUNNING' and due_at <= $4`,
    id,
    run.requestId,
    run.secret,
    run.startedAt,
    until,
    serverId,
  );
  return changed === 1;
}

/** Makes due what the server had claimed when it died. */
export async function releaseExecutions(sql: Sql, serverId: string, now: number): Promise<void> {
  await sql.run(
    `update durable_executions set due_at = case when status = 'RUNNING' then cast($2 as bigint) end,
        run_id = null, run_token = null, run_started_at = null, claimed_by = null where claimed_by = $1`,
    serverId,
    now,
  );
}

export async function releaseExecution(
  sql: Sql,
  serverId: string,
  id: number,
  now: number,
): Promise<void> {
  await sql.run(
    `update durable_executions set due_at = case when status = 'RUNNING' then cast($3 as bigint) end,
        run_id = null, run_token = null, run_started_at = null, claimed_by = null
      where id = $1 and claimed_by = $2`,
    id,
    serverId,
    now,
  );
}

export interface RunEnd {
  /** When it is run again; undefined: when one of its operations changes. */
  readonly dueAt: number | undefined;
  readonly failures: number;
  readonly delays: number;
}

export async function storeRunEnd(sql: Sql, id: number, end: RunEnd): Promise<void> {
  await sql.run(
    `update durable_executions set due_at = case when status = 'RUNNING' then cast($2 as bigint) end, failures = $3, delays = $4,
        run_id = null, run_token = null, run_started_at = null, claimed_by = null where id = $1`,
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

/** Stores the numbers of operations and events. */
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

/** Makes an execution due unless it is running: the end of the current run then finds the work. */
export async function makeDue(sql: Sql, id: number, at: number): Promise<void> {
  await sql.run(
    `update durable_executions set due_at = $2 where id = $1 and status = 'RUNNING' and run_id is null`,
    id,
    at,
  );
}

/** Moves an execution that is due for a timer to another time; one that is due for anything else stays so. */
export async function moveTimer(
  sql: Sql,
  id: number,
  from: number | undefined,
  to: number | undefined,
): Promise<void> {
  if (from === undefined || from === to) return;
  await sql.run(
    `update durable_executions set due_at = $3
      where id = $1 and status = 'RUNNING' and run_id is null and due_at = $2`,
    id,
    from,
    to ?? null,
  );
}
