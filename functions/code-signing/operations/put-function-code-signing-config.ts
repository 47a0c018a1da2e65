import { putFunctionCodeSigningConfig } from '#functions-contract/operations/code-signing.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { checkUnqualified, findLatest } from '../../versions/find-function.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findConfigForFunction } from '../check-deployment.ts';
import { setCodeSigningConfigOfFunction } from '../code-signing-store.ts';

type Output = StructureOf<(typeof putFunctionCodeSigningConfig)['output']>;

/** The code that the function has stays; the next deployment is held against the configuration. */
export function servePutFunctionCodeSigningConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(putFunctionCodeSigningConfig, async (input): Promise<Output> => {
    const { CodeSigningConfigArn } = input;
    const reference = readFunctionName(input.FunctionName, settings);
    const name = checkUnqualified(reference);
    await database.write(async (sql) => {
      const { functionId, described } = await findLatest(sql, settings, reference);
      const { PackageType } = described.configuration;
      const config = await findConfigForFunction(sql, settings, CodeSigningConfigArn, PackageType);
      await setCodeSigningConfigOfFunction(sql, functionId, config.id);
    });
    return { CodeSigningConfigArn, FunctionName: name };
  });
}
