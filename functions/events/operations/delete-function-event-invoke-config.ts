import { deleteFunctionEventInvokeConfig } from '#functions-contract/operations/event-invoke-config.ts';

import { latest } from '../../configuration/function-record.ts';
import { findFunction } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { handlingMissing } from '../change-handling.ts';
import { forgetHandling } from '../event-invoke-config-store.ts';

export function serveDeleteFunctionEventInvokeConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(deleteFunctionEventInvokeConfig, async (input) => {
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
