import type { Sql } from '#platform/database/database.ts';

import { invalidParameter } from '../errors/functions-error.ts';
import type { Site } from '../model/function-name.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import type { DurableExecutions } from './executions.ts';
import { applyUpdate } from './apply-update.ts';
import { Changes } from './changes.ts';
import { checkUpdates, idsIn } from './check-updates.ts';
import { endExecution } from './end-execution.ts';
import {
  checkpointToken,
  operationsMax,
  readCheckpointToken,
  type Execution,
  type ExecutionEnd,
  type Run,
} from './execution.ts';
import { findByArn } from './find-execution.ts';
import { findOperations, operationsUpdatedIn } from './operation-store.ts';
import type { DurableOperation, OperationUpdate } from './operation.ts';
import { lockExecution, storeCheckpoint } from './run-store.ts';

export interface CheckpointRequest {
  readonly arn: string;
  readonly token: string;
  readonly updates: readonly OperationUpdate[];
  /** The same in a retry of a client that got no response. */
  readonly clientToken: string | undefined;
}

export interface Checkpointed {
  readonly token: string;
  /** All operations changed since the last checkpoint, by the updates or by timers and other events. */
  readonly operations: readonly DurableOperation[];
}

/** Stores the progress of an execution: all of the updates or none; each token is valid once. */
export async function checkpoint(
  {
    database,
    clock,
    random,
    durable,
    settings,
  }: Pick<SystemPorts, 'database' | 'clock' | 'random' | 'settings'> & {
    readonly durable: DurableExecutions;
  },
  request: CheckpointRequest,
): Promise<Checkpointed> {
  const { arn, updates } = request;
  const now = clock.now();
  const queue = `durable ${arn}`;
  const done = await database.write(
    async (sql) => {
      const { execution, run, number, isRepeated } = await authorizeCheckpoint(
        sql,
        settings,
        request,
      );
      if (!isRepeated) {
        await lockExecution(sql, execution.id);
        await apply(sql, execution, updates, { now, newCallbackId: () => random.token() });
        await storeCheckpoint(sql, execution.id, request.clientToken);
      }
      const operations = await operationsUpdatedIn(sql, execution.id, number);
      return { token: checkpointToken(run, number + 1), operations };
    },
    { queue },
  );
  if (updates.some(({ Type }) => Type === 'CHAINED_INVOKE' || Type === 'EXECUTION')) durable.wake();
  return done;
}

/** Refuses tokens that do not belong to the current run, or were used already. */
export async function checkRunToken(
  sql: Sql,
  site: Site,
  { arn, token }: Pick<CheckpointRequest, 'arn' | 'token'>,
): Promise<Execution> {
  const execution = await findByArn(sql, site, arn);
  if (!execution?.run || execution.run.secret !== readCheckpointToken(token).secret) {
    throw invalidToken();
  }
  return execution;
}

interface AuthorizedCheckpoint {
  readonly execution: Execution;
  readonly run: Run;
  /** The number of the token's checkpoint. */
  readonly number: number;
  readonly isRepeated: boolean;
}

async function authorizeCheckpoint(
  sql: Sql,
  site: Site,
  request: CheckpointRequest,
): Promise<AuthorizedCheckpoint> {
  const { token, clientToken } = request;
  const execution = await checkRunToken(sql, site, request);
  const { run } = execution;
  const { checkpoint: number } = readCheckpointToken(token);
  if (!run) throw invalidToken();
  const isRepeated =
    number === execution.checkpoint - 1 &&
    clientToken !== undefined &&
    clientToken === execution.clientToken;
  if (isRepeated) return { execution, run, number, isRepeated };
  if (number !== execution.checkpoint || execution.status !== 'RUNNING') throw invalidToken();
  return { execution, run, number, isRepeated };
}

/** AWS's SDK recognizes this error by the beginning of the message. */
function invalidToken(): Error {
  return invalidParameter(
    'Invalid Checkpoint Token: it was already used, or the execution continues elsewhere or has ended.',
  );
}

async function apply(
  sql: Sql,
  execution: Execution,
  updates: readonly OperationUpdate[],
  context: { readonly now: number; readonly newCallbackId: () => string },
): Promise<void> {
  const changes = new Changes(await findOperations(sql, execution.id, idsIn(updates)));
  // Timers that are due are applied first: a program that waited for them continues from there.
  await changes.elapse(sql, execution.id, context.now);
  checkUpdates(updates, changes.known);
  let end: ExecutionEnd | undefined;
  for (const update of updates) {
    if (update.Type === 'EXECUTION') end = endBy(update);
    else changes.add(applyUpdate(changes.get(update.Id), update, context));
  }
  if (execution.operations + changes.freshCount > operationsMax) {
    throw invalidParameter(`An execution can have at most ${operationsMax} operations.`);
  }
  const saved = await changes.save(sql, execution, context.now);
  if (end) await endExecution(sql, saved, end, context.now);
}

function endBy({ Action, Payload, Error: error }: OperationUpdate): ExecutionEnd {
  if (Action === 'FAIL') return { status: 'FAILED', error: error ?? {} };
  return { status: 'SUCCEEDED', ...(Payload === undefined ? {} : { result: Payload }) };
}
