import type { Sql } from '#platform/database/database.ts';

import { dueAheadMilliseconds } from '../events/event-store.ts';

/** A chained invocation of another function that is due. */
export interface DueInvocation {
  /** The operation's number, unique over all executions. */
  readonly number: number;
  readonly executionId: number;
  readonly id: string;
  readonly invokeAt: number;
  /** Without version or alias; undefined where an earlier version has stored the operation. */
  readonly functionName: string | undefined;
}

/**
 * Invocations that are due, longest due first, with a limit for each function. One that no server has claimed, and that is due far ahead, was
 * stored before the clock was set back: it is due now.
 */
export async function dueInvocations(
  sql: Sql,
  now: number,
  most: { readonly ofOne: number; readonly inAll: number; readonly offset: number },
): Promise<DueInvocation[]> {
  const rows = await sql.all<{
    number: number;
    execution_id: number;
    id: string;
    invoke_at: number;
    invoked_function: string | null;
  }>(
    `select number, execution_id, id, invoke_at, invoked_function from (
        select number, execution_id, id, invoke_at, invoked_function,
          row_number() over (partition by invoked_function order by invoke_at, number) as turn
        from durable_operations where invoke_at <= $1 or (invoke_at > $2 and invoked_by is null)
      ) q where turn <= $3 order by invoke_at, number limit $4 offset $5`,
    now,
    now + dueAheadMilliseconds,
    most.ofOne,
    most.inAll,
    most.offset,
  );
  return rows.map(({ execution_id, invoke_at, invoked_function, ...row }) => ({
    ...row,
    functionName: invoked_function ?? undefined,
    executionId: execution_id,
    invokeAt: invoke_at,
  }));
}

/**
 * Moves an invocation to another time, claimed by a server or not; false when another server did so first, or no operation waits for
 * it any more.
 */
export async function moveInvocation(
  sql: Sql,
  { number, invokeAt }: DueInvocation,
  at: number,
  claimedBy: string | null,
): Promise<boolean> {
  const changed = await sql.run(
    'update durable_operations set invoke_at = $3, invoked_by = $4 where number = $1 and invoke_at = $2',
    number,
    invokeAt,
    at,
    claimedBy,
  );
  return changed === 1;
}

/** Drops the invocations that an ended execution no longer needs. */
export async function dropInvocations(sql: Sql, executionId: number): Promise<void> {
  await sql.run(
    'update durable_operations set invoke_at = null where execution_id = $1 and invoke_at is not null',
    executionId,
  );
}

/** Makes due what the server had claimed when it died. */
export async function releaseInvocations(sql: Sql, serverId: string, now: number): Promise<void> {
  await sql.run(
    `update durable_operations set invoke_at = $2, invoked_by = null
      where invoke_at is not null and invoked_by = $1`,
    serverId,
    now,
  );
}

export async function releaseInvocation(
  sql: Sql,
  serverId: string,
  number: number,
  now: number,
): Promise<void> {
  await sql.run(
    `update durable_operations set invoke_at = $3, invoked_by = null
      where number = $1 and invoke_at is not null and invoked_by = $2`,
    number,
    serverId,
    now,
  );
}

/** From now on the operation waits for an execution. */
export async function storeChained(
  sql: Sql,
  executionId: number,
  id: string,
  chainedId: number,
): Promise<void> {
  await sql.run(
    'update durable_operations set invoke_at = null, chained_id = $3 where execution_id = $1 and id = $2',
    executionId,
    id,
    chainedId,
  );
}

/** Operations of running executions that wait for executions that are gone, with their functions. */
export async function orphanedOperations(
  sql: Sql,
  limit: number,
): Promise<{ executionId: number; id: string }[]> {
  const rows = await sql.all<{ execution_id: number; id: string }>(
    `select o.execution_id, o.id from durable_operations o
      join durable_executions waiting on waiting.id = o.execution_id and waiting.status = 'RUNNING'
      where o.chained_id is not null and o.status = 'STARTED'
        and not exists (select 1 from durable_executions e where e.id = o.chained_id) limit $1`,
    limit,
  );
  return rows.map(({ execution_id, id }) => ({ executionId: execution_id, id }));
}
