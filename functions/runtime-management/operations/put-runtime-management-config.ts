import { putRuntimeManagementConfig } from '#functions-contract/operations/runtime-management.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { findReferred, functionNotFound } from '../../versions/find-function.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import {
  checkRuntimeVersion,
  representRuntimeManagement,
  type RuntimeManagement,
} from '../runtime-management.ts';
import { writeDecision } from '../runtime-management-store.ts';

export function servePutRuntimeManagementConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(putRuntimeManagementConfig, async (input): Promise<RuntimeManagement> => {
    const { UpdateRuntimeOn, RuntimeVersionArn } = input;
    const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
    return database.write(async (sql) => {
      const version = await findReferred(sql, reference);
      if (!version) throw functionNotFound(settings, reference.name, reference.qualifier);
      checkRuntimeVersion(version, UpdateRuntimeOn, RuntimeVersionArn, settings);
      await writeDecision(sql, version.functionId, version.version, UpdateRuntimeOn);
      return representRuntimeManagement(version, UpdateRuntimeOn, settings);
    });
  });
}
