import type { Sql } from '#platform/database/database.ts';

import { invalidParameter } from '../errors/functions-error.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import { complete, type Ending } from './callbacks.ts';
import { dropInvocations } from './chained-store.ts';
import { Changes, applyTimers } from './changes.ts';
import { checkErrorSize } from './checkpoint.ts';
import { getByArn } from './execution-state.ts';
import { findExecutionById, storeEnd } from './execution-store.ts';
import type { Execution, ExecutionEnd } from './execution.ts';
import type { DurableExecutions } from './executions.ts';
import { findOperation } from './operation-store.ts';
import { eventOf, type EventType, type HistoryEvent, type ErrorObject } from './operation.ts';
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
  if (applyTimers(operation, now)) return false;
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

/** Stops a running execution, and returns the time; stopping it again changes nothing. */
export async function stopExecution(
  {
    database,
    clock,
    durable,
    settings,
  }: Pick<SystemPorts, 'database' | 'clock' | 'settings'> & { readonly durable: DurableExecutions },
  arn: string,
  error: ErrorObject,
): Promise<number> {
  checkErrorSize(error);
  const stopped = await database.write(
    async (sql) => {
      const now = clock.now();
      const execution = await getByArn(sql, settings, arn);
      const { id, status, endedAt = now } = execution;
      if (status === 'STOPPED') return { id, endedAt };
      if (status !== 'RUNNING') {
        throw invalidParameter(`The durable execution has already ended with status ${status}.`);
      }
      await lockExecution(sql, id);
      await endExecution(sql, execution, { status: 'STOPPED', error }, now);
      return { id, endedAt: now };
    },
    { queue: `durable ${arn}` },
  );
  durable.wake(stopped.id);
  return stopped.endedAt;
}
