import type { Sql } from '#platform/database/database.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import { Changes } from './changes.ts';
import {
  findExecutionById,
  findExecutionByName,
  findPayloads,
  insertExecution,
} from './execution-store.ts';
import type { Execution, NewExecution } from './execution.ts';
import { eventOf } from './history-event.ts';

/**
 * Starts an execution, which is due immediately; the same name with the same event returns the existing execution. Once committed,
 * an execution survives any crash.
 */
export async function beginExecution(
  sql: Sql,
  planned: NewExecution,
  now: number,
): Promise<Execution> {
  const id = await insertExecution(sql, planned, now);
  if (id === undefined) return existing(sql, planned);
  const execution = await findExecutionById(sql, id);
  if (!execution) throw new Error('An insert left no row.');
  const changes = new Changes();
  const { input, timeoutSeconds: seconds } = planned;
  const itself = { id: execution.key, name: execution.name };
  changes.note(eventOf('ExecutionStarted', itself, now, { input, seconds }));
  return changes.save(sql, execution, now);
}

async function existing(sql: Sql, { functionId, name, input }: NewExecution): Promise<Execution> {
  const execution = await findExecutionByName(sql, functionId, name);
  if (!execution) throw new Error('The conflicting execution does not exist.');
  const startPayloads = await findPayloads(sql, execution.id);
  if (startPayloads.input === input) return execution;
  throw new FunctionsError(
    'DurableExecutionAlreadyStartedException',
    `An execution named ${name} already exists and was started with a different event.`,
  );
}
