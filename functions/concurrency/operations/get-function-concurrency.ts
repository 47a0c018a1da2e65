import { getFunctionConcurrency } from '#functions-contract/operations/concurrency.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { checkUnqualified, functionNotFound } from '../../configuration/find-function.ts';
import { findFunction } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../conventions/call.ts';
import { readFunctionName } from '../../identity/function-name.ts';
import type { FunctionPorts } from '../../ports.ts';

type Output = StructureOf<(typeof getFunctionConcurrency)['output']>;

/** Nothing at all where nothing is reserved. */
export function serveGetFunctionConcurrency(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(getFunctionConcurrency, async ({ FunctionName }): Promise<Output> => {
    const name = checkUnqualified(readFunctionName(FunctionName, settings));
    const found = await database.read((sql) => findFunction(sql, name));
    if (!found) throw functionNotFound(settings, name);
    const { reservedConcurrency } = found;
    return reservedConcurrency === undefined
      ? {}
      : { ReservedConcurrentExecutions: reservedConcurrency };
  });
}
