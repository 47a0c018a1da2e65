import { getCodeSigningConfig } from '#functions-contract/operations/code-signing.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { representCodeSigningConfig } from '../code-signing-config.ts';
import { findConfigOrRefuse } from '../find-code-signing-config.ts';

type Output = StructureOf<(typeof getCodeSigningConfig)['output']>;

export function serveGetCodeSigningConfig({ database, settings }: FunctionPorts): ServedOperation {
  return serve(getCodeSigningConfig, async ({ CodeSigningConfigArn }): Promise<Output> => {
    const config = await database.read((sql) =>
      findConfigOrRefuse(sql, settings, CodeSigningConfigArn),
    );
    return { CodeSigningConfig: representCodeSigningConfig(config, settings) };
  });
}
