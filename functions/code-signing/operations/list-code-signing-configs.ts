import { listCodeSigningConfigs } from '#functions-contract/operations/code-signing.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { pageOf, readMarker } from '../../json/paging.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { representCodeSigningConfig } from '../code-signing-config.ts';
import { listConfigs } from '../code-signing-store.ts';

type Output = StructureOf<(typeof listCodeSigningConfigs)['output']>;

export function serveListCodeSigningConfigs({
  database,
  settings,
}: FunctionPorts): ServedOperation {
  return serve(listCodeSigningConfigs, async (input): Promise<Output> => {
    const [after = '0'] = readMarker(input.Marker);
    const page = await pageOf(
      input.MaxItems,
      (limit) => database.read((sql) => listConfigs(sql, Number(after), limit)),
      ({ id }) => [String(id)],
    );
    const CodeSigningConfigs = page.items.map((config) =>
      representCodeSigningConfig(config, settings),
    );
    return page.marker === undefined
      ? { CodeSigningConfigs }
      : { CodeSigningConfigs, NextMarker: page.marker };
  });
}
