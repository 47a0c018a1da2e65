import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import type { Changed } from './apply-update.ts';
import { Changes, applyTimers } from './changes.ts';
import { completeOperation } from './end-execution.ts';
import { findExecutionById } from './execution-store.ts';
import type { DurableExecutions } from './executions.ts';
import { findCallback, findOperation, nextDue } from './operation-store.ts';
import { eventOf, type EventType, type DurableOperation, type ErrorObject } from './operation.ts';
import { lockExecution, moveTimer } from './run-store.ts';

/** Completes a callback for an external caller; its execution resumes. */
export async function answerCallback(
  {
    database,
    clock,
    durable,
  }: Pick<SystemPorts, 'database' | 'clock'> & { readonly durable: DurableExecutions },
  callbackId: string,
  ending: Ending,
): Promise<void> {
  await database.write(async (sql) => {
    const callback = await findCallback(sql, callbackId);
    if (!callback) throw noSuchCallback();
    const { executionId, id } = callback;
    const done = await completeOperation(sql, executionId, id, ending, clock.now());
    if (!done) throw callbackOver();
  });
  durable.wake();
}

/** Records a heartbeat of the work that a callback waits for. */
export async function extendCallback(
  { database, clock }: Pick<SystemPorts, 'database' | 'clock'>,
  callbackId: string,
): Promise<void> {
  const now = clock.now();
  await database.write(async (sql) => {
    const callback = await findCallback(sql, callbackId);
    if (!callback) throw noSuchCallback();
    const { executionId } = callback;
    await lockExecution(sql, executionId);
    const execution = await findExecutionById(sql, executionId);
    const operation = await findOperation(sql, executionId, callback.id);
    if (execution?.status !== 'RUNNING' || operation?.status !== 'STARTED') throw callbackOver();
    if (operation.type !== 'CALLBACK' || applyTimers(operation, now)) throw callbackOver();
    const changes = new Changes([operation]);
    changes.add({ operation: heartbeat(operation, now), events: [] });
    const dueBefore = await nextDue(sql, executionId);
    // Nothing has changed that must be reported to the program.
    await changes.save(sql, execution, now, 0);
    await moveTimer(sql, executionId, dueBefore, await nextDue(sql, executionId));
  });
}

function noSuchCallback(): Error {
  return invalidParameter('Callback not found.');
}

function callbackOver(): FunctionsError {
  return new FunctionsError(
    'CallbackTimeoutException',
    'The callback is already completed, has timed out, or its execution has ended.',
  );
}

type Callback = Extract<DurableOperation, { type: 'CALLBACK' }>;

type Chained = Extract<DurableOperation, { type: 'CHAINED_INVOKE' }>;

/** The outcome of an operation that is completed from outside the execution. */
export type Ending =
  | { readonly status: 'SUCCEEDED'; readonly result?: string }
  | { readonly status: 'FAILED' | 'TIMED_OUT' | 'STOPPED'; readonly error: ErrorObject };

/** Completes a callback, or a chained invocation. */
export function complete(operation: Callback | Chained, ending: Ending, now: number): Changed {
  const { status, ...left } = ending;
  return {
    operation: { ...operation, ...left, status, endedAt: now },
    events: [eventOf(typeOf(operation.type, status), operation, now, left)],
  };
}

function typeOf(type: 'CALLBACK' | 'CHAINED_INVOKE', status: Ending['status']): EventType {
  const isCallback = type === 'CALLBACK';
  switch (status) {
    case 'SUCCEEDED':
      return isCallback ? 'CallbackSucceeded' : 'ChainedInvokeSucceeded';
    case 'TIMED_OUT':
      return isCallback ? 'CallbackTimedOut' : 'ChainedInvokeTimedOut';
    case 'STOPPED':
      return isCallback ? 'CallbackFailed' : 'ChainedInvokeStopped';
    case 'FAILED':
      return isCallback ? 'CallbackFailed' : 'ChainedInvokeFailed';
  }
}

/** Restarts the heartbeat timeout of a callback. */
export function heartbeat(callback: Callback, now: number): Callback {
  const { heartbeatSeconds } = callback;
  return heartbeatSeconds === undefined
    ? callback
    : { ...callback, heartbeatDueAt: now + heartbeatSeconds * 1000 };
}
