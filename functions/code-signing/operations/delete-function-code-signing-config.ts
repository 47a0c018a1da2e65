import { deleteFunctionCodeSigningConfig } from '#functions-contract/operations/code-signing.ts';

import { checkUnqualified, findLatest } from '../../versions/find-function.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { setCodeSigningConfigOfFunction } from '../code-signing-store.ts';

export function serveDeleteFunctionCodeSigningConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(deleteFunctionCodeSigningConfig, async ({ FunctionName }) => {
    const reference = readFunctionName(FunctionName, settings);
    checkUnqualified(reference);
    await database.write(async (sql) => {
      const { functionId } = await findLatest(sql, settings, reference);
      await setCodeSigningConfigOfFunction(sql, functionId, undefined);
    });
    return {};
  });
}
