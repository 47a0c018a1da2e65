import { listFunctionEventInvokeConfigs } from '#functions-contract/operations/event-invoke-config.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { findFunction } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { pageOf, readMarker } from '../../json/paging.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { functionMissing } from '../change-handling.ts';
import { representEventInvokeConfig } from '../event-invoke-config-json.ts';
import { listHandlings } from '../event-invoke-config-store.ts';

type Output = StructureOf<(typeof listFunctionEventInvokeConfigs)['output']>;

export function serveListFunctionEventInvokeConfigs(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(listFunctionEventInvokeConfigs, async (input): Promise<Output> => {
    const { name } = readFunctionName(input.FunctionName, settings);
    const [after = ''] = readMarker(input.Marker);
    const page = await pageOf(
      input.MaxItems,
      (limit) =>
        database.read(async (sql) => {
          const found = await findFunction(sql, name);
          if (!found) throw functionMissing();
          return listHandlings(sql, found.id, after, limit);
        }),
      (last) => [last.qualifier],
    );
    const FunctionEventInvokeConfigs = page.items.map((config) =>
      representEventInvokeConfig(config, name, settings),
    );
    return page.marker === undefined
      ? { FunctionEventInvokeConfigs }
      : { FunctionEventInvokeConfigs, NextMarker: page.marker };
  });
}
