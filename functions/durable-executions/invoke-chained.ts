import { readCommitted } from '#platform/database/database.ts';
import { present } from '#platform/present.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import type { VersionSpec } from '../environments/version-spec.ts';
import { wholeOutcome, type FunctionOutcome } from '../environments/execution-environment.ts';
import { functionArn, readFunctionName, type FunctionReference } from '../model/function-name.ts';
import type { Invocable } from '../invocation/invocation-store.ts';
import { checkJsonPayload, emptyEvent } from '../invocation/read-invocation.ts';
import { runFunction } from '../invocation/run-function.ts';
import { beginExecution, newExecution } from './begin-execution.ts';
import { moveInvocation, storeChained, type DueInvocation } from './chained-store.ts';
import type { Ending } from './callbacks.ts';
import type { DurablePorts } from './durable-ports.ts';
import { completeOperation } from './end-execution.ts';
import { findOperation } from './operation-store.ts';
import type { DurableOperation } from './operation.ts';
import { readFunctionError } from './decide-run.ts';

/** Time for which a server claims the invocation of another function: longer than the longest start and run. */
const claimMilliseconds = 20 * 60_000;
/** Pause before such an invocation is tried again when the function cannot be run now. */
const delayMilliseconds = 2000;

type Chained = Extract<DurableOperation, { type: 'CHAINED_INVOKE' }>;

/** Invokes another function for a chained operation; for a durable one, starts an execution, whose end completes the operation. */
export async function invokeChained(
  ports: DurablePorts,
  due: DueInvocation,
  stop: AbortSignal,
): Promise<void> {
  const { database, clock, serverId, notifications } = ports;
  const claimed = { ...due, invokeAt: clock.now() + claimMilliseconds };
  const operation = await database.write(async (sql) => {
    if (!(await moveInvocation(sql, due, claimed.invokeAt, serverId))) return undefined;
    return findOperation(sql, due.executionId, due.id);
  }, readCommitted);
  if (operation?.type !== 'CHAINED_INVOKE') return;
  const outcome = await outcomeOf(ports, operation, claimed);
  // An invocation aborted by shutdown is released at this server's next start.
  if (stop.aborted && (outcome.kind !== 'ended' || outcome.ending.status !== 'SUCCEEDED')) return;
  await database.write(async (sql) => {
    const now = clock.now();
    if (outcome.kind === 'later') {
      await moveInvocation(sql, claimed, now + delayMilliseconds, null);
    } else if (outcome.kind === 'ended') {
      // Another server has claimed the invocation, or no operation waits for it any more: this outcome is ignored.
      if (!(await moveInvocation(sql, claimed, claimed.invokeAt, null))) return;
      await completeOperation(sql, due.executionId, due.id, outcome.ending, now);
    }
  });
  notifications.due();
}

type Outcomes =
  | { readonly kind: 'ended'; readonly ending: Ending }
  /** An execution will complete the operation. */
  | { readonly kind: 'started' }
  | { readonly kind: 'later' };

async function outcomeOf(
  ports: DurablePorts,
  operation: Chained,
  due: DueInvocation,
): Promise<Outcomes> {
  const { targets, random, settings, versionSpecs } = ports;
  try {
    const payload = operation.input === undefined ? emptyEvent : Buffer.from(operation.input);
    checkJsonPayload(payload);
    const reference = readFunctionName(operation.functionName, settings);
    const { name, qualifier } = reference;
    const target = await targets.find(reference);
    const arn = functionArn(settings, name, qualifier);
    if (!target) return failed('ResourceNotFoundException', `Function not found: ${arn}`);
    const spec = await versionSpecs.of(target);
    if (spec?.configuration.DurableConfig) {
      return await chain(ports, operation, due, { spec, target, reference, payload });
    }
    const { tenantId, traceHeader } = operation;
    const { outcome } = await runFunction(ports, target, {
      requestId: random.id(),
      functionArn: arn,
      payload,
      ...present({ tenantId, traceHeader }),
    });
    return await endingOf(outcome);
  } catch (error) {
    if (!(error instanceof FunctionsError)) ports.onError(error);
    else if (error.status < 500 && error.status !== 429 && error.status !== 409) {
      return failed(error.code, error.message);
    }
    return { kind: 'later' };
  }
}

function failed(ErrorType: string, ErrorMessage: string): Outcomes {
  return { kind: 'ended', ending: { status: 'FAILED', error: { ErrorType, ErrorMessage } } };
}

async function endingOf(outcome: FunctionOutcome): Promise<Outcomes> {
  const { kind, payload } = await wholeOutcome(outcome);
  if (kind === 'failed') {
    const error = readFunctionError(payload);
    return { kind: 'ended', ending: { status: 'FAILED', error } };
  }
  const result = Buffer.from(payload).toString();
  return { kind: 'ended', ending: { status: 'SUCCEEDED', result } };
}

interface DurableTarget {
  readonly spec: VersionSpec;
  readonly target: Invocable;
  readonly reference: FunctionReference;
  readonly payload: Uint8Array;
}

/** The execution and the operation that waits for it are written in one transaction. */
async function chain(
  { database, clock, random }: DurablePorts,
  { tenantId, traceHeader }: Chained,
  claimed: DueInvocation,
  { spec, target, reference, payload }: DurableTarget,
): Promise<Outcomes> {
  const { executionId, id } = claimed;
  const planned = newExecution(random, target, spec, {
    qualifier: reference.qualifier,
    name: undefined,
    payload,
    clientContext: undefined,
    tenantId,
    traceHeader,
    caller: { executionId, operationId: id },
  });
  await database.write(async (sql) => {
    // An execution that has ended meanwhile no longer needs it.
    if (!(await moveInvocation(sql, claimed, claimed.invokeAt, null))) return;
    const execution = await beginExecution(sql, planned, clock.now());
    await storeChained(sql, executionId, id, execution.id);
  }, readCommitted);
  return { kind: 'started' };
}
