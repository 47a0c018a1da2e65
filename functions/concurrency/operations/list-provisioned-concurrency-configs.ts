import { listProvisionedConcurrencyConfigs } from '#functions-contract/operations/concurrency.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { checkUnqualified, functionNotFound } from '../../versions/find-function.ts';
import { findFunction } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { pageOf, readMarker } from '../../json/paging.ts';
import { functionArn, readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { representProvisioned } from '../provisioned-json.ts';
import { listProvisioned } from '../provisioned-store.ts';

type Output = StructureOf<(typeof listProvisionedConcurrencyConfigs)['output']>;

export function serveListProvisionedConcurrencyConfigs(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(listProvisionedConcurrencyConfigs, async (input): Promise<Output> => {
    const name = checkUnqualified(readFunctionName(input.FunctionName, settings));
    const [after = ''] = readMarker(input.Marker);
    const page = await pageOf(
      input.MaxItems,
      (limit) =>
        database.read(async (sql) => {
          const found = await findFunction(sql, name);
          if (!found) throw functionNotFound(settings, name);
          return listProvisioned(sql, found.id, after, limit);
        }),
      (last) => [last.qualifier],
    );
    const ProvisionedConcurrencyConfigs = page.items.map((item) => ({
      FunctionArn: functionArn(settings, name, item.qualifier),
      ...representProvisioned(item),
    }));
    return page.marker === undefined
      ? { ProvisionedConcurrencyConfigs }
      : { ProvisionedConcurrencyConfigs, NextMarker: page.marker };
  });
}
