import { readCommitted, type Sql } from '#platform/database/database.ts';
import { present } from '#platform/present.ts';

import { wholeOutcome, type FunctionOutcome } from '../environments/execution-environment.ts';
import type { LogTail } from '../logs/environment-log.ts';
import { FunctionsError } from '../errors/functions-error.ts';
import { claimMilliseconds } from '../events/event-store.ts';
import { runFunction } from '../invocation/run-function.ts';
import { functionArn, type AccountRegion } from '../model/function-name.ts';
import { Changes } from './changes.ts';
import {
  type RunAttempt,
  readResponse,
  readFunctionError,
  decideRun,
  nothingAwaited,
  type RunDecision,
} from './decide-run.ts';
import type { DurablePorts } from './durable-ports.ts';
import { endExecution } from './end-execution.ts';
import { itselfForProgram, operationForProgram } from './execution-json.ts';
import { stateMarker, pageOfState, visibleOperations } from './execution-state.ts';
import { findExecutionById, findPayloads } from './execution-store.ts';
import {
  type Execution,
  type Run,
  executionArn,
  checkpointToken,
  type ExecutionEnd,
} from './execution.ts';
import {
  findOperations,
  outlineOperations,
  hasAwaited,
  hasUnreportedOperations,
  nextDue,
} from './operation-store.ts';
import { claimExecution, lockExecution, storeRunEnd } from './run-store.ts';

/** One invocation for a due execution; resolves when its outcome is durable. */
export async function runExecution(
  ports: DurablePorts,
  id: number,
  stop: AbortSignal,
): Promise<void> {
  const { database, clock, random, settings, serverId, notifications } = ports;
  const run: Run = { requestId: random.id(), secret: random.token(), startedAt: clock.now() };
  const execution = await database.write((sql) => claimRun(sql, id, run, serverId), readCommitted);
  if (!execution) return;
  const payload = await database.read((sql) => eventFor(sql, settings, execution, run));
  const { attempt, logTail } = await attemptAt(ports, execution, run, payload);
  // A failure caused by the shutdown of this server does not count: the next start releases the claim.
  if (stop.aborted && attempt.kind !== 'answered') return;
  const due = await database.write(
    (sql) => finishRun(sql, execution, run, attempt, ports),
    readCommitted,
  );
  notifications.changed(id, logTail);
  if (due !== undefined) notifications.due(due);
}

interface Attempted {
  readonly attempt: RunAttempt;
  readonly logTail?: LogTail;
}

async function attemptAt(
  ports: DurablePorts,
  { functionName, version, qualifier, clientContext, tenantId, traceHeader }: Execution,
  { requestId }: Run,
  payload: Buffer,
): Promise<Attempted> {
  const { targets, settings } = ports;
  const target = await targets.find({ name: functionName, qualifier: version });
  const arn = functionArn(settings, functionName, version);
  if (!target) return gone('ResourceNotFoundException', `Function not found: ${arn}`);
  try {
    const { outcome, logTail } = await runFunction(ports, target, {
      requestId,
      functionArn: functionArn(settings, functionName, qualifier),
      payload,
      ...present({ clientContext, tenantId, traceHeader }),
    });
    return { attempt: await attemptOf(outcome), logTail: await logTail };
  } catch (error) {
    if (!(error instanceof FunctionsError)) ports.onError(error);
    else if (error.status === 400) return gone(error.code, error.message);
    return { attempt: { kind: 'not-run' } };
  }
}

function gone(ErrorType: string, ErrorMessage: string): Attempted {
  return { attempt: { kind: 'gone', error: { ErrorType, ErrorMessage } } };
}

async function attemptOf(outcome: FunctionOutcome): Promise<RunAttempt> {
  const { kind, payload } = await wholeOutcome(outcome);
  return kind === 'failed'
    ? { kind: 'failed', error: readFunctionError(payload) }
    : { kind: 'answered', response: readResponse(payload) };
}

/** Operations, and their characters, that the event of a durable execution begins with; the program requests the rest. */
const firstPageLimits = { items: 1000, size: 2_000_000 };

/** Claims a due execution for a server; undefined when it is no longer due. */
async function claimRun(
  sql: Sql,
  id: number,
  run: Run,
  serverId: string,
): Promise<Execution | undefined> {
  const now = run.startedAt;
  if (!(await claimExecution(sql, id, run, serverId, now + claimMilliseconds))) return undefined;
  const execution = await findExecutionById(sql, id);
  if (!execution) return undefined;
  const changes = new Changes();
  await changes.applyTimers(sql, id, now);
  // The event itself contains these changes, so no checkpoint needs to report them.
  return changes.save(sql, execution, now, execution.checkpoint - 1);
}

/** The event of a run: the state so far, and the token for its first checkpoint. */
async function eventFor(
  sql: Sql,
  accountRegion: AccountRegion,
  execution: Execution,
  run: Run,
): Promise<Buffer> {
  const { input } = await findPayloads(sql, execution.id);
  const visible = visibleOperations(await outlineOperations(sql, execution.id));
  const page = pageOfState(visible, 0, firstPageLimits);
  const operations = await findOperations(sql, execution.id, page.ids);
  const updated = visible.filter(({ updatedIn }) => updatedIn >= execution.checkpoint - 1);
  const event = {
    DurableExecutionArn: executionArn(accountRegion, execution),
    CheckpointToken: checkpointToken(run, execution.checkpoint),
    UpdatedOperationIds: updated.map((operation) => operation.id),
    InitialExecutionState: {
      Operations: [itselfForProgram(execution, input), ...operations.map(operationForProgram)],
      ...(page.next === undefined ? {} : { NextMarker: stateMarker(page.next) }),
    },
  };
  return Buffer.from(JSON.stringify(event));
}

/** Stores the outcome of a run; returns the time at which the execution is due again, if any. */
async function finishRun(
  sql: Sql,
  claimed: Execution,
  run: Run,
  attempt: RunAttempt,
  { clock, timings }: Pick<DurablePorts, 'clock' | 'timings'>,
): Promise<number | undefined> {
  const { id } = claimed;
  const now = clock.now();
  await lockExecution(sql, id);
  const before = await findExecutionById(sql, id);
  // Another run has taken over, so the outcome of this one is ignored.
  if (!before || before.run?.requestId !== run.requestId) return undefined;
  const execution = await recordAttempt(sql, before, run, attempt, now);
  if (execution.status !== 'RUNNING') {
    await storeRunEnd(sql, id, { dueAt: undefined, failures: 0, delays: 0 });
    return undefined;
  }
  const decision = decideRun(execution, attempt, timings, now);
  return carryOut(sql, claimed, execution, decision, now);
}

/** The history records every invocation. */
async function recordAttempt(
  sql: Sql,
  execution: Execution,
  { requestId, startedAt }: Run,
  attempt: RunAttempt,
  now: number,
): Promise<Execution> {
  const changes = new Changes();
  if (execution.status === 'RUNNING') await changes.applyTimers(sql, execution.id, now);
  if (attempt.kind === 'answered' || attempt.kind === 'failed') {
    const error = attempt.kind === 'failed' ? { error: attempt.error } : {};
    changes.note({ type: 'InvocationCompleted', at: now, requestId, startedAt, ...error });
  }
  return changes.save(sql, execution, now);
}

async function carryOut(
  sql: Sql,
  claimed: Execution,
  execution: Execution,
  decision: RunDecision,
  now: number,
): Promise<number | undefined> {
  const { id } = execution;
  const end = async (how: ExecutionEnd): Promise<undefined> => {
    await storeRunEnd(sql, id, { dueAt: undefined, failures: 0, delays: 0 });
    await endExecution(sql, execution, how, now);
  };
  switch (decision.kind) {
    case 'end':
      return end(decision.end);
    case 'again':
      await storeRunEnd(sql, id, { ...decision, dueAt: decision.at });
      return decision.at;
    case 'suspend': {
      const dueAt = await restUntil(sql, claimed, execution, now);
      if (dueAt === 'nothing') return end({ status: 'FAILED', error: nothingAwaited });
      await storeRunEnd(sql, id, { dueAt, failures: 0, delays: 0 });
      return dueAt;
    }
  }
}

/** When a suspended execution is due again; undefined: when one of its operations changes. */
async function restUntil(
  sql: Sql,
  claimed: Execution,
  { id, checkpoint }: Execution,
  now: number,
): Promise<number | undefined | 'nothing'> {
  // Changes since the last checkpoint have not been reported to the program.
  if (await hasUnreportedOperations(sql, id, checkpoint)) return now;
  if (await hasAwaited(sql, id)) return nextDue(sql, id);
  // It may have responded before it read the response to the last checkpoint.
  return (await hasUnreportedOperations(sql, id, claimed.checkpoint)) ? now : 'nothing';
}
