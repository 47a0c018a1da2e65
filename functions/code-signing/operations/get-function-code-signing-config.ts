import { getFunctionCodeSigningConfig } from '#functions-contract/operations/code-signing.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { checkUnqualified, findLatest } from '../../versions/find-function.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { codeSigningConfigArn } from '../code-signing-config.ts';
import { findCodeSigningConfigOfFunction } from '../code-signing-store.ts';

type Output = StructureOf<(typeof getFunctionCodeSigningConfig)['output']>;

/** An empty object, as recorded where nothing is set. */
export function serveGetFunctionCodeSigningConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(getFunctionCodeSigningConfig, async ({ FunctionName }): Promise<Output> => {
    const reference = readFunctionName(FunctionName, settings);
    checkUnqualified(reference);
    const config = await database.read(async (sql) => {
      const { functionId } = await findLatest(sql, settings, reference);
      return findCodeSigningConfigOfFunction(sql, functionId);
    });
    return config
      ? {
          CodeSigningConfigArn: codeSigningConfigArn(settings, config.configId),
          FunctionName: reference.name,
        }
      : {};
  });
}
