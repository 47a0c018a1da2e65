import { listVersionsByFunction } from '#functions-contract/operations/functions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { functionNotFound } from '../find-function.ts';
import { versionNumberOf } from '../../configuration/function-record.ts';
import { findFunction, listVersions } from '../../configuration/function-store.ts';
import { representItem } from '../../configuration/represent.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { pageOf, readMarker } from '../../json/paging.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';

type Output = StructureOf<(typeof listVersionsByFunction)['output']>;

/** $LATEST first; ARNs name the version. */
export function serveListVersionsByFunction(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(listVersionsByFunction, async (input): Promise<Output> => {
    const { name } = readFunctionName(input.FunctionName, settings);
    const [after = '-1'] = readMarker(input.Marker);
    const page = await pageOf(
      input.MaxItems,
      (limit) =>
        database.read(async (sql) => {
          const found = await findFunction(sql, name);
          if (!found) throw functionNotFound(settings, name);
          return listVersions(sql, found.id, Number(after), limit);
        }),
      (last) => [String(versionNumberOf(last))],
    );
    const Versions = await Promise.all(
      page.items.map((item) => representItem(ports, item, item.version)),
    );
    return page.marker === undefined ? { Versions } : { Versions, NextMarker: page.marker };
  });
}
