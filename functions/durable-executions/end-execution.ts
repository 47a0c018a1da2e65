import type { Sql } from '#platform/database/database.ts';

import { dropInvocations } from './chained-store.ts';
import { Changes } from './changes.ts';
import { complete, type Ending } from './complete.ts';
import { elapse } from './apply-timers.ts';
import { findExecutionById, storeEnd } from './execution-store.ts';
import type { Execution, ExecutionEnd } from './execution.ts';
import { eventOf, type EventType, type HistoryEvent } from './history-event.ts';
import { findOperation } from './operation-store.ts';
import type { ErrorObject } from './operation.ts';
import { lockExecution, makeDue } from './run-store.ts';

/** Ends an execution, and completes the operation that invoked it in the same transaction. */
export async function endExecution(
  sql: Sql,
  execution: Execution,
  end: ExecutionEnd,
  now: number,
): Promise<void> {
  const changes = new Changes();
  changes.note(endEvent(execution, end, now));
  await changes.save(sql, execution, now);
  await storeEnd(sql, execution, end, now);
  await dropInvocations(sql, execution.id);
  const { caller } = execution;
  if (caller) await completeOperation(sql, caller.executionId, caller.operationId, end, now);
}

/** The error of an execution that timed out. */
export const executionTimedOut: ErrorObject = {
  ErrorType: 'Execution.Timeout',
  ErrorMessage: 'The durable execution exceeded its ExecutionTimeout.',
};

/**
 * Completes an operation from outside, and resumes its execution. False when that is too late: the operation has ended or timed out,
 * or the execution has ended.
 */
export async function completeOperation(
  sql: Sql,
  executionId: number,
  operationId: string,
  ending: Ending,
  now: number,
): Promise<boolean> {
  await lockExecution(sql, executionId);
  const execution = await findExecutionById(sql, executionId);
  const operation = await findOperation(sql, executionId, operationId);
  if (execution?.status !== 'RUNNING' || operation?.status !== 'STARTED') return false;
  if (operation.type !== 'CALLBACK' && operation.type !== 'CHAINED_INVOKE') return false;
  if (elapse(operation, now)) return false;
  const changes = new Changes([operation]);
  changes.add(complete(operation, ending, now));
  await changes.save(sql, execution, now);
  await makeDue(sql, executionId, now);
  return true;
}

function endEvent({ key, name }: Execution, end: ExecutionEnd, at: number): HistoryEvent {
  const { status, ...left } = end;
  return eventOf(endTypes[status], { id: key, name }, at, left);
}

const endTypes: Readonly<Record<ExecutionEnd['status'], EventType>> = {
  SUCCEEDED: 'ExecutionSucceeded',
  FAILED: 'ExecutionFailed',
  TIMED_OUT: 'ExecutionTimedOut',
  STOPPED: 'ExecutionStopped',
};
