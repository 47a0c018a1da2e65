import type { Sql } from '#platform/database/database.ts';

import { Changes } from './changes.ts';
import { decideRun, nothingAwaited, type Attempt, type RunDecision } from './decide-run.ts';
import type { DurablePorts } from './durable-ports.ts';
import { endExecution } from './end-execution.ts';
import { findExecutionById } from './execution-store.ts';
import type { Execution, ExecutionEnd, Run } from './execution.ts';
import { hasAwaited, hasUnreportedOperations, nextDue } from './operation-store.ts';
import { lockExecution, storeRunEnd } from './run-store.ts';

/** Stores the outcome of a run; returns the time at which the execution is due again, if any. */
export async function finishRun(
  sql: Sql,
  claimed: Execution,
  run: Run,
  attempt: Attempt,
  { clock, timings }: Pick<DurablePorts, 'clock' | 'timings'>,
): Promise<number | undefined> {
  const { id } = claimed;
  const now = clock.now();
  await lockExecution(sql, id);
  const before = await findExecutionById(sql, id);
  // Another run has taken over, so the outcome of this one is ignored.
  if (!before || before.run?.requestId !== run.requestId) return undefined;
  const execution = await noteRun(sql, before, run, attempt, now);
  if (execution.status !== 'RUNNING') {
    await storeRunEnd(sql, id, { dueAt: undefined, failures: 0, delays: 0 });
    return undefined;
  }
  const decision = decideRun(execution, attempt, timings, now);
  return carryOut(sql, claimed, execution, decision, now);
}

/** The history records every invocation. */
async function noteRun(
  sql: Sql,
  execution: Execution,
  { requestId, startedAt }: Run,
  attempt: Attempt,
  now: number,
): Promise<Execution> {
  const changes = new Changes();
  if (execution.status === 'RUNNING') await changes.elapse(sql, execution.id, now);
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
    case 'rest': {
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
