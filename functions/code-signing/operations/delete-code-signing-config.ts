import { deleteCodeSigningConfig } from '#functions-contract/operations/code-signing.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { FunctionsError } from '../../errors/functions-error.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { listFunctionsOfConfig, removeCodeSigningConfig } from '../code-signing-store.ts';
import { findConfigOrRefuse } from '../find-code-signing-config.ts';

export function serveDeleteCodeSigningConfig({
  database,
  settings,
}: FunctionPorts): ServedOperation {
  return serve(deleteCodeSigningConfig, async ({ CodeSigningConfigArn }) => {
    await database.write(async (sql) => {
      const { id } = await findConfigOrRefuse(sql, settings, CodeSigningConfigArn);
      const [user] = await listFunctionsOfConfig(sql, id, '', 1);
      if (user !== undefined) {
        throw new FunctionsError(
          'ResourceConflictException',
          `The code signing configuration ${CodeSigningConfigArn} is in use by functions. Remove it from them first.`,
        );
      }
      await removeCodeSigningConfig(sql, id);
    });
    return {};
  });
}
