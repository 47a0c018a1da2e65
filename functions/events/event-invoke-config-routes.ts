import {
  listFunctionEventInvokeConfigs,
  getFunctionEventInvokeConfig,
  putFunctionEventInvokeConfig,
  updateFunctionEventInvokeConfig,
  deleteFunctionEventInvokeConfig,
} from '#functions-contract/operations/event-invoke-config.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { latest } from '../configuration/function-record.ts';
import { findFunction } from '../configuration/function-store.ts';
import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { pageOf, readMarker } from '../json/paging.ts';
import { readFunctionName } from '../model/function-name.ts';
import {
  functionMissing,
  handlingMissing,
  changeHandling,
  representEventInvokeConfig,
  type EventInvokeConfigOutput,
} from './change-handling.ts';
import { listHandlings, findHandling, forgetHandling } from './event-invoke-config-store.ts';

/** How asynchronous invocations of a function are retried, and where their records go. */
export const eventInvokeConfigRoutes: readonly CreateHandler[] = [
  serveListFunctionEventInvokeConfigs,
  serveGetFunctionEventInvokeConfig,
  servePutFunctionEventInvokeConfig,
  serveUpdateFunctionEventInvokeConfig,
  serveDeleteFunctionEventInvokeConfig,
];

type ListFunctionEventInvokeConfigsOutput = StructureOf<
  (typeof listFunctionEventInvokeConfigs)['output']
>;

function serveListFunctionEventInvokeConfigs(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(
    listFunctionEventInvokeConfigs,
    async (input): Promise<ListFunctionEventInvokeConfigsOutput> => {
      const { name } = readFunctionName(input.FunctionName, settings);
      const [after = ''] = readMarker(input.Marker);
      const page = await pageOf(
        input.MaxItems,
        (limit) =>
          database.read(async (sql) => {
            const found = await findFunction(sql, name);
            if (!found) throw functionMissing();
            return listHandlings(sql, found.id, after, limit);
          }),
        (last) => [last.qualifier],
      );
      const FunctionEventInvokeConfigs = page.items.map((config) =>
        representEventInvokeConfig(config, name, settings),
      );
      return page.marker === undefined
        ? { FunctionEventInvokeConfigs }
        : { FunctionEventInvokeConfigs, NextMarker: page.marker };
    },
  );
}

/** For a missing function, AWS reports a missing configuration (recorded). */
function serveGetFunctionEventInvokeConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(
    getFunctionEventInvokeConfig,
    async (input): Promise<EventInvokeConfigOutput> => {
      const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
      const { name, qualifier = latest } = reference;
      const config = await database.read(async (sql) => {
        const found = await findFunction(sql, name);
        return found && findHandling(sql, found.id, qualifier);
      });
      if (!config) throw handlingMissing(settings, name, qualifier);
      return representEventInvokeConfig(config, name, settings);
    },
  );
}

function servePutFunctionEventInvokeConfig(ports: FunctionPorts): OperationHandler {
  return bindOperation(putFunctionEventInvokeConfig, (input): Promise<EventInvokeConfigOutput> =>
    changeHandling(ports, input, 'nothing'),
  );
}

function serveUpdateFunctionEventInvokeConfig(ports: FunctionPorts): OperationHandler {
  return bindOperation(updateFunctionEventInvokeConfig, (input): Promise<EventInvokeConfigOutput> =>
    changeHandling(ports, input, 'present'),
  );
}

function serveDeleteFunctionEventInvokeConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(deleteFunctionEventInvokeConfig, async (input) => {
    const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
    const { name, qualifier = latest } = reference;
    await database.write(async (sql) => {
      const found = await findFunction(sql, name);
      if (found && (await forgetHandling(sql, found.id, qualifier))) return;
      throw handlingMissing(settings, name, qualifier);
    });
    return {};
  });
}
