import { listAliases as listAliasesOperation } from '#functions-contract/operations/aliases.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { checkUnqualified, functionNotFound } from '../../versions/find-function.ts';
import { readVersionName } from '../../configuration/function-record.ts';
import { findFunction } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { pageOf, readMarker } from '../../json/paging.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { representAlias } from '../alias-json.ts';
import { listAliases } from '../../versions/alias-store.ts';

type Output = StructureOf<(typeof listAliasesOperation)['output']>;

export function serveListAliases({ database, settings }: FunctionPorts): ServedOperation {
  return serve(listAliasesOperation, async (input): Promise<Output> => {
    const name = checkUnqualified(readFunctionName(input.FunctionName, settings));
    const number =
      input.FunctionVersion === undefined ? undefined : readVersionName(input.FunctionVersion);
    const [after = ''] = readMarker(input.Marker);
    const page = await pageOf(
      input.MaxItems,
      (limit) =>
        database.read(async (sql) => {
          const found = await findFunction(sql, name);
          if (!found) throw functionNotFound(settings, name);
          return listAliases(sql, found.id, number, after, limit);
        }),
      (last) => [last.name],
    );
    const Aliases = page.items.map((alias) => representAlias(alias, settings, name));
    return page.marker === undefined ? { Aliases } : { Aliases, NextMarker: page.marker };
  });
}
