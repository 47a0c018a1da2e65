import { getAlias } from '#functions-contract/operations/aliases.ts';

import { aliasNotFound, checkUnqualified } from '../../configuration/find-function.ts';
import { findFunction } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../conventions/call.ts';
import { readFunctionName } from '../../identity/function-name.ts';
import type { FunctionPorts } from '../../ports.ts';
import { findAlias } from '../alias-store.ts';
import { representAlias, type AliasConfiguration } from '../alias-representation.ts';

export function serveGetAlias({ database, settings }: FunctionPorts): ServedOperation {
  return serve(getAlias, async ({ FunctionName, Name }): Promise<AliasConfiguration> => {
    const name = checkUnqualified(readFunctionName(FunctionName, settings));
    const alias = await database.read(async (sql) => {
      const found = await findFunction(sql, name);
      return found && findAlias(sql, found.id, Name);
    });
    if (!alias) throw aliasNotFound(settings, name, Name);
    return representAlias(alias, settings, name);
  });
}
