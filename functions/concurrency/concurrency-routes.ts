import {
  concurrencyOfAccountMax,
  unzippedBytesMax,
  zippedBytesMax,
  concurrencyUnreservedMin,
} from '#functions-contract/limits.ts';
import {
  getAccountSettings,
  getFunctionConcurrency,
  putFunctionConcurrency,
  deleteFunctionConcurrency,
} from '#functions-contract/operations/concurrency.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { measureCode } from '../code/code-store.ts';
import { latest } from '../configuration/function-record.ts';
import { findFunction } from '../configuration/function-store.ts';
import { invalidParameter } from '../errors/functions-error.ts';
import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { readFunctionName } from '../model/function-name.ts';
import { checkUnqualified, functionNotFound } from '../versions/find-function.ts';
import {
  readAccountUsage,
  replaceReservation,
  concurrencyOfOthers,
  provisionedOf,
} from './concurrency-store.ts';

/** Reserved concurrency, and the limits of the account. */
export const concurrencyRoutes: readonly CreateHandler[] = [
  serveGetAccountSettings,
  serveGetFunctionConcurrency,
  servePutFunctionConcurrency,
  serveDeleteFunctionConcurrency,
];

type GetAccountSettingsOutput = StructureOf<(typeof getAccountSettings)['output']>;

function serveGetAccountSettings({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(getAccountSettings, async (): Promise<GetAccountSettingsOutput> => {
    const { usage, codeBytes } = await database.read(async (sql) => ({
      usage: await readAccountUsage(sql),
      codeBytes: await measureCode(sql),
    }));
    return {
      AccountLimit: {
        TotalCodeSize: settings.codeBytesMax,
        CodeSizeUnzipped: unzippedBytesMax,
        CodeSizeZipped: zippedBytesMax,
        ConcurrentExecutions: concurrencyOfAccountMax,
        UnreservedConcurrentExecutions: concurrencyOfAccountMax - usage.reserved,
      },
      AccountUsage: { TotalCodeSize: codeBytes, FunctionCount: usage.functions },
    };
  });
}

type GetFunctionConcurrencyOutput = StructureOf<(typeof getFunctionConcurrency)['output']>;

/** Nothing at all where nothing is reserved. */
function serveGetFunctionConcurrency(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(
    getFunctionConcurrency,
    async ({ FunctionName }): Promise<GetFunctionConcurrencyOutput> => {
      const name = checkUnqualified(readFunctionName(FunctionName, settings));
      const found = await database.read((sql) => findFunction(sql, name));
      if (!found) throw functionNotFound(settings, name);
      const { reservedConcurrency } = found;
      return reservedConcurrency === undefined
        ? {}
        : { ReservedConcurrentExecutions: reservedConcurrency };
    },
  );
}

type PutFunctionConcurrencyOutput = StructureOf<(typeof putFunctionConcurrency)['output']>;

function servePutFunctionConcurrency(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(
    putFunctionConcurrency,
    async (input): Promise<PutFunctionConcurrencyOutput> => {
      const { ReservedConcurrentExecutions: wanted } = input;
      const name = checkUnqualified(readFunctionName(input.FunctionName, settings));
      await database.write(async (sql) => {
        const found = await findFunction(sql, name);
        if (!found) throw functionNotFound(settings, name, latest);
        const others = await concurrencyOfOthers(sql, found.id);
        // Less than before is accepted although the account has less left than it must.
        const isMore = wanted > (found.reservedConcurrency ?? 0);
        if (isMore && concurrencyOfAccountMax - others - wanted < concurrencyUnreservedMin) {
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
    },
  );
}

function serveDeleteFunctionConcurrency(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(deleteFunctionConcurrency, async ({ FunctionName }) => {
    const name = checkUnqualified(readFunctionName(FunctionName, settings));
    await database.write(async (sql) => {
      const found = await findFunction(sql, name);
      if (!found) throw functionNotFound(settings, name);
      await replaceReservation(sql, found.id, undefined);
    });
    return {};
  });
}
