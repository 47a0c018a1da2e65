import { getAlias } from '#functions-contract/operations/aliases.ts';

import { aliasNotFound, checkUnqualified } from '../../versions/find-function.ts';
import { findFunction } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findAlias } from '../../versions/alias-store.ts';
import { representAlias, type AliasConfiguration } from '../alias-json.ts';

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
