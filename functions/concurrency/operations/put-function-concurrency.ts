import { putFunctionConcurrency } from '#functions-contract/operations/concurrency.ts';
import { concurrencyOfAccount, concurrencyUnreservedMin } from '#functions-contract/limits.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { checkUnqualified, functionNotFound } from '../../versions/find-function.ts';
import { latest } from '../../configuration/function-record.ts';
import { findFunction } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { invalidParameter } from '../../errors/functions-error.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { replaceReservation, reservedByOthers } from '../concurrency-store.ts';
import { provisionedOf } from '../provisioned-store.ts';

type Output = StructureOf<(typeof putFunctionConcurrency)['output']>;

export function servePutFunctionConcurrency(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(putFunctionConcurrency, async (input): Promise<Output> => {
    const { ReservedConcurrentExecutions: wanted } = input;
    const name = checkUnqualified(readFunctionName(input.FunctionName, settings));
    await database.write(async (sql) => {
      const found = await findFunction(sql, name);
      if (!found) throw functionNotFound(settings, name, latest);
      const others = await reservedByOthers(sql, found.id);
      if (concurrencyOfAccount - others - wanted < concurrencyUnreservedMin) {
        throw invalidParameter(
          `Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [${concurrencyUnreservedMin}].`,
          { withoutFault: true },
        );
      }
      const provisioned = await provisionedOf(sql, found.id);
      if (provisioned > 0 && wanted < provisioned) {
        throw invalidParameter(
          ` ReservedConcurrentExecutions  ${wanted} should not be lower than function's total provisioned concurrency [${provisioned}].`,
          { withoutFault: true },
        );
      }
      await replaceReservation(sql, found.id, wanted);
    });
    return { ReservedConcurrentExecutions: wanted };
  });
}
