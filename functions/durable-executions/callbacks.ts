import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import type { DurableExecutions } from './executions.ts';
import { Changes } from './changes.ts';
import { heartbeat, type Ending } from './complete.ts';
import { elapse } from './apply-timers.ts';
import { completeOperation } from './end-execution.ts';
import { findExecutionById } from './execution-store.ts';
import { findCallback, findOperation, nextDue } from './operation-store.ts';
import { lockExecution, makeDue } from './run-store.ts';

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
export async function keepCallback(
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
    if (operation.type !== 'CALLBACK' || elapse(operation, now)) throw callbackOver();
    const changes = new Changes([operation]);
    changes.add({ operation: heartbeat(operation, now), events: [] });
    // Nothing has changed that must be reported to the program.
    await changes.save(sql, execution, now, 0);
    await makeDue(sql, executionId, await nextDue(sql, executionId));
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
