import { getFunctionConcurrency } from '#functions-contract/operations/concurrency.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { checkUnqualified, functionNotFound } from '../../versions/find-function.ts';
import { findFunction } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';

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
