import type { Sql } from '#platform/database/database.ts';
import type { Random } from '#platform/random.ts';

import type { VersionSpec } from '../environments/version-spec.ts';
import { FunctionsError } from '../errors/functions-error.ts';
import type { Invocable } from '../invocation/invocation-store.ts';
import { checkAddress } from '../invocation/targets.ts';
import { currentTraceHeader } from '../logs/trace-header.ts';
import { Changes } from './changes.ts';
import {
  findExecutionById,
  findExecutionByName,
  findPayloads,
  insertExecution,
  measureRunning,
} from './execution-store.ts';
import {
  type Execution,
  type NewExecution,
  retentionDaysDefault,
  type Caller,
} from './execution.ts';
import { eventOf } from './operation.ts';

/**
 * Executions of one function that have not ended; then 429 `TooManyRequestsException` with `Retry-After: 10`. Those that other executions
 * invoke are started until there are twice as many: executions that wait for each other could not end otherwise.
 */
export const runningExecutionsMax = 100_000;
/** Bytes of the events of these executions, with their client contexts; then the same. */
export const runningExecutionBytesMax = 1_073_741_824;

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
  await checkRunning(sql, planned);
  const execution = await findExecutionById(sql, id);
  if (!execution) throw new Error('An insert left no row.');
  const changes = new Changes();
  const { input, timeoutSeconds: seconds } = planned;
  const itself = { id: execution.key, name: execution.name };
  changes.note(eventOf('ExecutionStarted', itself, now, { input, seconds }));
  return changes.save(sql, execution, now);
}

/** Throws in the transaction that has inserted the execution. */
async function checkRunning(
  sql: Sql,
  { functionId, caller }: Pick<NewExecution, 'functionId' | 'caller'>,
): Promise<void> {
  const { executions, bytes } = await measureRunning(sql, functionId);
  const times = caller ? 2 : 1;
  if (executions <= times * runningExecutionsMax && bytes <= times * runningExecutionBytesMax)
    return;
  throw new FunctionsError(
    'TooManyRequestsException',
    `Rate Exceeded. Durable executions of the function have not ended: ${runningExecutionsMax} of them or ${runningExecutionBytesMax} bytes of their events are the maximum.`,
    { reason: 'FunctionInvocationRateLimitExceeded', retryAfterSeconds: 10 },
  );
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

/** An invocation of a durable function. */
export interface DurableInvocation {
  /** Version or alias as invoked. */
  readonly qualifier: string | undefined;
  /** Undefined: one is generated. */
  readonly name: string | undefined;
  /** JSON. */
  readonly payload: Uint8Array;
  readonly clientContext: string | undefined;
  readonly tenantId: string | undefined;
  readonly traceHeader: string | undefined;
  readonly caller: Caller | undefined;
}

/** The execution for an invocation, which must name a version, since an execution may run for long. */
export function newExecution(
  random: Random,
  target: Invocable,
  spec: VersionSpec,
  { payload, name, qualifier = '', ...invocation }: DurableInvocation,
): NewExecution {
  const { tenantId } = invocation;
  checkAddress(spec, { tenantId, qualified: qualifier !== '' });
  const { ExecutionTimeout = 0, RetentionPeriodInDays = retentionDaysDefault } =
    spec.configuration.DurableConfig ?? {};
  return {
    ...invocation,
    traceHeader: invocation.traceHeader ?? currentTraceHeader(),
    functionId: target.functionId,
    functionName: spec.functionName,
    name: name ?? random.id(),
    key: random.id(),
    version: target.version,
    qualifier,
    input: Buffer.from(payload).toString(),
    timeoutSeconds: ExecutionTimeout,
    retentionDays: RetentionPeriodInDays,
  };
}
