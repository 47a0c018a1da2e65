import { listFunctionUrlConfigs } from '#functions-contract/operations/function-urls.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { checkUnqualified } from '../../versions/find-function.ts';
import { findFunction } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { pageOf, readMarker } from '../../json/paging.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { functionMissing } from '../find-url-owner.ts';
import { representUrl } from '../url-json.ts';
import { listUrls } from '../url-store.ts';

type Output = StructureOf<(typeof listFunctionUrlConfigs)['output']>;

export function serveListFunctionUrlConfigs(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(listFunctionUrlConfigs, async (input): Promise<Output> => {
    const name = checkUnqualified(readFunctionName(input.FunctionName, settings));
    const [after] = readMarker(input.Marker);
    const page = await pageOf(
      input.MaxItems,
      (limit) =>
        database.read(async (sql) => {
          const found = await findFunction(sql, name);
          if (!found) throw functionMissing();
          return listUrls(sql, found.id, after, limit);
        }),
      (last) => [last.alias ?? ''],
    );
    const FunctionUrlConfigs = page.items.map((url) => representUrl(url, settings));
    return page.marker === undefined
      ? { FunctionUrlConfigs }
      : { FunctionUrlConfigs, NextMarker: page.marker };
  });
}
