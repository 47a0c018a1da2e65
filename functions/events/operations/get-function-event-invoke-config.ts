import { getFunctionEventInvokeConfig } from '#functions-contract/operations/event-invoke-config.ts';

import { latest } from '../../configuration/function-record.ts';
import { findFunction } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { handlingMissing } from '../change-handling.ts';
import {
  representEventInvokeConfig,
  type EventInvokeConfigOutput,
} from '../event-invoke-config-json.ts';
import { findHandling } from '../event-invoke-config-store.ts';

/** A function that is not there has no configuration either (recorded). */
export function serveGetFunctionEventInvokeConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(getFunctionEventInvokeConfig, async (input): Promise<EventInvokeConfigOutput> => {
    const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
    const { name, qualifier = latest } = reference;
    const config = await database.read(async (sql) => {
      const found = await findFunction(sql, name);
      return found && findHandling(sql, found.id, qualifier);
    });
    if (!config) throw handlingMissing(settings, name, qualifier);
    return representEventInvokeConfig(config, name, settings);
  });
}
