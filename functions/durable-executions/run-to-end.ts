import type { Invocable } from '../invocation/invocation-store.ts';
import {
  awaitActivation,
  runFunction,
  type Invocation,
  type RunPorts,
} from '../invocation/run-function.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import type { DurableExecutions } from './executions.ts';
import { newExecution } from './new-execution.ts';
import { checkWaitable, waitForEnd } from './wait-for-end.ts';
import type { Answer } from '../environments/execution-environment.ts';

/** Runs a function and returns its response; for a durable one, the result of the execution. */
export async function runToEnd(
  ports: RunPorts &
    Pick<SystemPorts, 'database' | 'random'> & { readonly durable: DurableExecutions },
  target: Invocable,
  invocation: Invocation,
): Promise<Answer> {
  const { versionSpecs, durable, random, rest } = ports;
  const spec = await versionSpecs.of(target);
  if (!spec?.configuration.DurableConfig) return runFunction(ports, target, invocation);
  const { functionArn, payload, clientContext, tenantId, traceHeader } = invocation;
  const qualifier = functionArn.split(':')[7];
  const given = { qualifier, name: undefined, payload, clientContext, tenantId, traceHeader };
  const planned = newExecution(random, target, spec, { ...given, caller: undefined });
  checkWaitable(planned);
  await awaitActivation(rest, target);
  const { id } = await durable.begin(planned);
  return waitForEnd(ports, id);
}
