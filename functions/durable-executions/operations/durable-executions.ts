/** No durable execution can be begun here: those that tools ask for are not there, and a function has none. */
import {
  checkpointDurableExecution,
  getDurableExecution,
  getDurableExecutionHistory,
  getDurableExecutionState,
  listDurableExecutionsByFunction,
  sendDurableExecutionCallbackFailure,
  sendDurableExecutionCallbackHeartbeat,
  sendDurableExecutionCallbackSuccess,
  stopDurableExecution,
} from '#functions-contract/operations/durable-executions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { findReferred, functionNotFound } from '../../configuration/find-function.ts';
import { serve, type ServedOperation } from '../../conventions/call.ts';
import { noSuchResource } from '../../conventions/no-such-resource.ts';
import { readFunctionName } from '../../identity/function-name.ts';
import type { FunctionPorts } from '../../ports.ts';

type Listed = StructureOf<(typeof listDurableExecutionsByFunction)['output']>;

export function serveListDurableExecutionsByFunction(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(listDurableExecutionsByFunction, async (input): Promise<Listed> => {
    const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
    const found = await database.read((sql) => findReferred(sql, reference));
    if (!found) throw functionNotFound(settings, reference.name, reference.qualifier);
    return { DurableExecutions: [] };
  });
}

/** Everything else that is asked of one execution, or of one of its callbacks. */
export const servedDurableExecutions: readonly (() => ServedOperation)[] = [
  getDurableExecution,
  getDurableExecutionHistory,
  getDurableExecutionState,
  checkpointDurableExecution,
  stopDurableExecution,
  sendDurableExecutionCallbackSuccess,
  sendDurableExecutionCallbackFailure,
  sendDurableExecutionCallbackHeartbeat,
].map((operation) => () => ({
  operation,
  handle: async () => {
    throw noSuchResource();
  },
}));
