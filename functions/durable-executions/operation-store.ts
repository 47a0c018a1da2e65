import type { Sql } from '#platform/database/database.ts';

import { functionNameIn } from '../model/function-name.ts';
import {
  dueAt,
  type DurableOperation,
  type ErrorObject,
  type OperationStatus,
  type OperationType,
} from './operation.ts';

interface OperationRow {
  id: string;
  position: number;
  facts: string;
  result: string | null;
  error: string | null;
}

const selectOperations = 'select id, position, facts, result, error from durable_operations';

/** Operations that one statement looks up; more take several. */
const idsMax = 500;

export async function findOperations(
  sql: Sql,
  executionId: number,
  ids: readonly string[],
): Promise<DurableOperation[]> {
  const found: OperationRow[] = [];
  for (let from = 0; from < ids.length; from += idsMax) {
    const some = ids.slice(from, from + idsMax);
    const listed = some.map((_id, index) => `$${index + 2}`).join(', ');
    found.push(
      ...(await sql.all<OperationRow>(
        `${selectOperations} where execution_id = $1 and id in (${listed})`,
        executionId,
        ...some,
      )),
    );
  }
  return found.toSorted((one, other) => one.position - other.position).map(operationOf);
}

export async function findOperation(
  sql: Sql,
  executionId: number,
  id: string,
): Promise<DurableOperation | undefined> {
  return (await findOperations(sql, executionId, [id]))[0];
}

/** The execution and operation of a callback. */
export async function findCallback(
  sql: Sql,
  callbackId: string,
): Promise<{ executionId: number; id: string } | undefined> {
  const row = await sql.get<{ execution_id: number; id: string }>(
    'select execution_id, id from durable_operations where callback_id = $1',
    callbackId,
  );
  return row && { executionId: row.execution_id, id: row.id };
}

/** Operations whose timer is due. */
export async function dueOperations(
  sql: Sql,
  executionId: number,
  now: number,
): Promise<DurableOperation[]> {
  const rows = await sql.all<OperationRow>(
    `${selectOperations} where execution_id = $1 and due_at <= $2 order by position`,
    executionId,
    now,
  );
  return rows.map(operationOf);
}

/** When the next timer of an execution is due. */
export async function nextDue(sql: Sql, executionId: number): Promise<number | undefined> {
  const row = await sql.get<{ due_at: number | null }>(
    'select min(due_at) as due_at from durable_operations where execution_id = $1 and due_at is not null',
    executionId,
  );
  return row?.due_at ?? undefined;
}

/** Has a change reported by a later checkpoint. */
export async function reportLater(
  sql: Sql,
  executionId: number,
  position: number,
  checkpoint: number,
): Promise<void> {
  await sql.run(
    'update durable_operations set updated_in = $3 where execution_id = $1 and position = $2',
    executionId,
    position,
    checkpoint,
  );
}

/** Whether an execution may be suspended: it waits for an operation that ends without it. */
export async function hasAwaited(sql: Sql, executionId: number): Promise<boolean> {
  const row = await sql.get(
    `select 1 as found from durable_operations where execution_id = $1
      and ((type = 'STEP' and status = 'PENDING') or (type in ('WAIT', 'CALLBACK', 'CHAINED_INVOKE') and status = 'STARTED'))
      limit 1`,
    executionId,
  );
  return row !== undefined;
}

/** Whether an operation has changed that was not reported by an earlier checkpoint. */
export async function hasUnreportedOperations(
  sql: Sql,
  executionId: number,
  checkpoint: number,
): Promise<boolean> {
  const row = await sql.get(
    'select 1 as found from durable_operations where execution_id = $1 and updated_in >= $2 limit 1',
    executionId,
    checkpoint,
  );
  return row !== undefined;
}

/** An operation without its payloads, which may be large. */
export interface OperationOutline {
  readonly id: string;
  readonly position: number;
  readonly parentId: string | undefined;
  readonly type: OperationType;
  readonly status: OperationStatus;
  readonly replayChildren: boolean;
  readonly updatedIn: number;
  /** Characters of its result, its error and what else there is of it, such as the input of a function that it invokes. */
  readonly size: number;
}

/** The operations of an execution, or those whose last change was not reported by an earlier checkpoint. */
export async function outlineOperations(
  sql: Sql,
  executionId: number,
  updatedSince = 0,
): Promise<OperationOutline[]> {
  const rows = await sql.all<{
    id: string;
    position: number;
    parent_id: string | null;
    type: OperationType;
    status: OperationStatus;
    updated_in: number;
    size: number;
    context: string | null;
  }>(
    `select id, position, parent_id, type, status, updated_in,
        length(coalesce(result, '')) + length(coalesce(error, '')) + length(facts) as size,
        case when type = 'CONTEXT' then facts end as context
      from durable_operations where execution_id = $1 and updated_in >= $2 order by position`,
    executionId,
    updatedSince,
  );
  return rows.map(({ parent_id, updated_in, context, ...row }) => ({
    ...row,
    parentId: parent_id ?? undefined,
    updatedIn: updated_in,
    replayChildren: context !== null && replaysChildren(factsOf(context)),
  }));
}

/** An operation to be stored; its position is used only when it is new. */
interface PlacedOperation {
  readonly operation: DurableOperation;
  readonly position: number;
}

/** Operations that one statement stores; more take several. */
const operationsOfStatement = 100;

/** Stores operations, new or changed, each once. */
export async function storeOperations(
  sql: Sql,
  executionId: number,
  operations: readonly PlacedOperation[],
  { updatedIn, now }: { readonly updatedIn: number; readonly now: number },
): Promise<void> {
  for (let from = 0; from < operations.length; from += operationsOfStatement) {
    const values: (string | number | null)[] = [executionId, updatedIn];
    const rows = operations.slice(from, from + operationsOfStatement).map((placed) => {
      const own = valuesOf(placed, now).map((value) => `$${values.push(value)}`);
      return `($1, $2, ${own.join(', ')})`;
    });
    await sql.run(
      `insert into durable_operations
          (execution_id, updated_in, id, position, parent_id, type, status, facts, result, error, due_at, callback_id, invoke_at, invoked_function)
        values ${rows.join(', ')}
        on conflict (execution_id, id) do update set status = excluded.status, facts = excluded.facts, result = excluded.result,
          error = excluded.error, due_at = excluded.due_at, updated_in = excluded.updated_in, invoke_at = null`,
      ...values,
    );
  }
}

function valuesOf(
  { operation, position }: PlacedOperation,
  now: number,
): readonly (string | number | null)[] {
  const { result, error, ...facts } = operation;
  const { id, type, status } = facts;
  const isToInvoke = type === 'CHAINED_INVOKE' && status === 'STARTED';
  return [
    id,
    position,
    facts.parentId ?? null,
    type,
    status,
    JSON.stringify(facts),
    result ?? null,
    error ? JSON.stringify(error) : null,
    dueAt(operation) ?? null,
    type === 'CALLBACK' ? facts.callbackId : null,
    isToInvoke ? now : null,
    type === 'CHAINED_INVOKE' ? (functionNameIn(facts.functionName) ?? null) : null,
  ];
}

function operationOf({ facts, result, error }: OperationRow): DurableOperation {
  return {
    ...factsOf(facts),
    ...(result === null ? {} : { result }),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this file
    ...(error === null ? {} : { error: JSON.parse(error) as ErrorObject }),
  };
}

function factsOf(facts: string): DurableOperation {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this file
  return JSON.parse(facts) as DurableOperation;
}

function replaysChildren(operation: DurableOperation): boolean {
  return operation.type === 'CONTEXT' && operation.replayChildren;
}
