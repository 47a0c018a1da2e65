import {
  getRuntimeManagementConfig,
  putRuntimeManagementConfig,
} from '#functions-contract/operations/runtime-management.ts';

import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { readFunctionName } from '../model/function-name.ts';
import { findReferred, functionNotFound } from '../versions/find-function.ts';
import { readDecisions, writeDecision } from './runtime-management-store.ts';
import {
  representRuntimeManagement,
  type RuntimeManagement,
  checkRuntimeVersion,
} from './runtime-management.ts';

/** Runtime management. */
export const runtimeManagementRoutes: readonly CreateHandler[] = [
  serveGetRuntimeManagementConfig,
  servePutRuntimeManagementConfig,
];

function serveGetRuntimeManagementConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(getRuntimeManagementConfig, async (input): Promise<RuntimeManagement> => {
    const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
    return database.read(async (sql) => {
      const version = await findReferred(sql, reference);
      if (!version) throw functionNotFound(settings, reference.name, reference.qualifier);
      const decisions = await readDecisions(sql, version.functionId);
      return representRuntimeManagement(version, decisions[version.version] ?? 'Auto', settings);
    });
  });
}

function servePutRuntimeManagementConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(putRuntimeManagementConfig, async (input): Promise<RuntimeManagement> => {
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
