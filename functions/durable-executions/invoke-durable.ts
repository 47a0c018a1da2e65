import { eventRequestBytesMax } from '#functions-contract/limits.ts';
import type { invoke } from '#functions-contract/operations/functions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import type { InvocationResult } from '../environments/execution-environment.ts';
import type { VersionSpec } from '../environments/version-spec.ts';
import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import type { Invocable } from '../invocation/invocation-store.ts';
import {
  refuseUnlessInvocable,
  type RunPorts,
  runFunction,
  type Invocation,
} from '../invocation/run-function.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import { newExecution, type DurableInvocation } from './begin-execution.ts';
import { executionArn } from './execution.ts';
import type { DurableExecutions } from './executions.ts';
import { checkWaitable, waitForEnd } from './wait-for-end.ts';

type Output = StructureOf<(typeof invoke)['output']>;

interface HowToInvoke {
  /** Asynchronous: the caller does not wait for the end. */
  readonly isEvent: boolean;
  /** Whether the caller wants the end of the log. */
  readonly wantsLog: boolean;
}

/** Starts an execution of a durable function, or finds the one of that name, and waits for its end unless it is an event. */
export async function invokeDurable(
  ports: RunPorts &
    Pick<SystemPorts, 'database' | 'random' | 'settings'> & { readonly durable: DurableExecutions },
  target: Invocable,
  spec: VersionSpec,
  invocation: Omit<DurableInvocation, 'caller'>,
  { isEvent, wantsLog }: HowToInvoke,
): Promise<Output> {
  const { durable, random, inactivity, settings } = ports;
  const planned = newExecution(random, target, spec, { ...invocation, caller: undefined });
  if (isEvent) checkEventSize(invocation.payload);
  else checkWaitable(planned);
  await refuseUnlessInvocable(inactivity, target);
  const execution = await durable.begin(planned);
  const DurableExecutionArn = executionArn(settings, execution);
  if (isEvent) return { StatusCode: 202, DurableExecutionArn };
  const { outcome, logTail } = await waitForEnd(ports, execution.id);
  return {
    StatusCode: 200,
    ExecutedVersion: execution.version,
    DurableExecutionArn,
    ...(wantsLog ? { LogResult: (await logTail).bytes().toString('base64') } : {}),
    ...(outcome.kind === 'failed' ? { FunctionError: 'Unhandled' } : {}),
    Payload: outcome.payload,
  };
}

/** A name promises idempotency, which only durable executions provide. */
export function checkNoExecutionName(name: string | undefined): void {
  if (name === undefined) return;
  throw invalidParameter('A durable execution name requires a durable function.');
}

function checkEventSize({ length }: Uint8Array): void {
  if (length <= eventRequestBytesMax) return;
  throw new FunctionsError(
    'RequestEntityTooLargeException',
    `Request must be smaller than ${eventRequestBytesMax} bytes for the InvokeFunction operation`,
  );
}

/** Runs a function and returns its response; for a durable one, the result of the execution. */
export async function runToEnd(
  ports: RunPorts &
    Pick<SystemPorts, 'database' | 'random'> & { readonly durable: DurableExecutions },
  target: Invocable,
  invocation: Invocation,
): Promise<InvocationResult> {
  const { versionSpecs, durable, random, inactivity } = ports;
  const spec = await versionSpecs.of(target);
  if (!spec?.configuration.DurableConfig) return runFunction(ports, target, invocation);
  const { functionArn, payload, clientContext, tenantId, traceHeader } = invocation;
  const qualifier = functionArn.split(':')[7];
  const given = { qualifier, name: undefined, payload, clientContext, tenantId, traceHeader };
  const planned = newExecution(random, target, spec, { ...given, caller: undefined });
  checkWaitable(planned);
  await refuseUnlessInvocable(inactivity, target);
  const { id } = await durable.begin(planned);
  return waitForEnd(ports, id);
}
