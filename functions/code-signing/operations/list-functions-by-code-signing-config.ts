import { listFunctionsByCodeSigningConfig } from '#functions-contract/operations/code-signing.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { pageOf, readMarker } from '../../json/paging.ts';
import { functionArn } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { listFunctionsOfConfig } from '../code-signing-store.ts';
import { findConfigOrRefuse } from '../find-code-signing-config.ts';

type Output = StructureOf<(typeof listFunctionsByCodeSigningConfig)['output']>;

export function serveListFunctionsByCodeSigningConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(listFunctionsByCodeSigningConfig, async (input): Promise<Output> => {
    const [after = ''] = readMarker(input.Marker);
    const page = await pageOf(
      input.MaxItems,
      (limit) =>
        database.read(async (sql) => {
          const { id } = await findConfigOrRefuse(sql, settings, input.CodeSigningConfigArn);
          return listFunctionsOfConfig(sql, id, after, limit);
        }),
      (name) => [name],
    );
    const FunctionArns = page.items.map((name) => functionArn(settings, name));
    return page.marker === undefined ? { FunctionArns } : { FunctionArns, NextMarker: page.marker };
  });
}
