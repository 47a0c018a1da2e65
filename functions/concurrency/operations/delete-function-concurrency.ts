import { deleteFunctionConcurrency } from '#functions-contract/operations/concurrency.ts';

import { checkUnqualified, functionNotFound } from '../../versions/find-function.ts';
import { findFunction } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { replaceReservation } from '../concurrency-store.ts';

export function serveDeleteFunctionConcurrency(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(deleteFunctionConcurrency, async ({ FunctionName }) => {
    const name = checkUnqualified(readFunctionName(FunctionName, settings));
    await database.write(async (sql) => {
      const found = await findFunction(sql, name);
      if (!found) throw functionNotFound(settings, name);
      await replaceReservation(sql, found.id, undefined);
    });
    return {};
  });
}
