import { getRuntimeManagementConfig } from '#functions-contract/operations/runtime-management.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { findReferred, functionNotFound } from '../../versions/find-function.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { representRuntimeManagement, type RuntimeManagement } from '../runtime-management.ts';
import { readDecisions } from '../runtime-management-store.ts';

export function serveGetRuntimeManagementConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(getRuntimeManagementConfig, async (input): Promise<RuntimeManagement> => {
    const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
    return database.read(async (sql) => {
      const version = await findReferred(sql, reference);
      if (!version) throw functionNotFound(settings, reference.name, reference.qualifier);
      const decisions = await readDecisions(sql, version.functionId);
      return representRuntimeManagement(version, decisions[version.version] ?? 'Auto', settings);
    });
  });
}
