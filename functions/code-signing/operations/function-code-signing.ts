/** What a function has of code signing: nothing, since this service checks no signatures of archives. */
import {
  deleteFunctionCodeSigningConfig,
  getFunctionCodeSigningConfig,
  putFunctionCodeSigningConfig,
} from '#functions-contract/operations/code-signing.ts';

import { checkUnqualified, functionNotFound } from '../../configuration/find-function.ts';
import { findFunction } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../conventions/call.ts';
import { readFunctionName } from '../../identity/function-name.ts';
import type { FunctionPorts } from '../../ports.ts';
import { noSuchConfigForFunction } from '../code-signing-refusals.ts';

/** An empty object, as recorded where nothing is set. */
export function serveGetFunctionCodeSigningConfig(ports: FunctionPorts): ServedOperation {
  return serve(getFunctionCodeSigningConfig, async ({ FunctionName }) => {
    await checkFunction(ports, FunctionName);
    return {};
  });
}

export function servePutFunctionCodeSigningConfig(ports: FunctionPorts): ServedOperation {
  return serve(putFunctionCodeSigningConfig, async ({ FunctionName, CodeSigningConfigArn }) => {
    await checkFunction(ports, FunctionName);
    throw noSuchConfigForFunction(CodeSigningConfigArn);
  });
}

export function serveDeleteFunctionCodeSigningConfig(ports: FunctionPorts): ServedOperation {
  return serve(deleteFunctionCodeSigningConfig, async ({ FunctionName }) => {
    await checkFunction(ports, FunctionName);
    return {};
  });
}

async function checkFunction(
  { database, settings }: FunctionPorts,
  functionName: string,
): Promise<void> {
  const name = checkUnqualified(readFunctionName(functionName, settings));
  const found = await database.read((sql) => findFunction(sql, name));
  if (!found) throw functionNotFound(settings, name);
}
