import { createAlias } from '#functions-contract/operations/aliases.ts';

import { checkUnqualified, functionNotFound } from '../../versions/find-function.ts';
import { readVersionName } from '../../configuration/function-record.ts';
import { findFunction } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { FunctionsError } from '../../errors/functions-error.ts';
import { functionArn, readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { insertAlias } from '../../versions/alias-store.ts';
import { representAlias, type AliasConfiguration } from '../alias-json.ts';
import { checkRouting, readRouting } from '../check-routing.ts';

export function serveCreateAlias({ database, settings, random }: FunctionPorts): ServedOperation {
  return serve(createAlias, async (input): Promise<AliasConfiguration> => {
    const name = checkUnqualified(readFunctionName(input.FunctionName, settings));
    const alias = {
      name: input.Name,
      number: readVersionName(input.FunctionVersion),
      description: input.Description ?? '',
      other: readRouting(input.RoutingConfig),
      revisionId: random.id(),
    };
    await database.write(async (sql) => {
      await checkRouting(sql, settings, name, alias.number, alias.other);
      const found = await findFunction(sql, name);
      if (!found) throw functionNotFound(settings, name, input.FunctionVersion);
      if (await insertAlias(sql, found.id, alias)) return;
      throw new FunctionsError(
        'ResourceConflictException',
        `Alias already exists: ${functionArn(settings, name, alias.name)}`,
      );
    });
    return representAlias(alias, settings, name);
  });
}
