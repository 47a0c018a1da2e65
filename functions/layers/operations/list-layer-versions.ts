import { listLayerVersions as listLayerVersionsOperation } from '#functions-contract/operations/layers.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { pageOf, readMarker } from '../../json/paging.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { ownLayerName } from '../find-layer.ts';
import { representListed } from '../layer-json.ts';
import { listLayerVersions } from '../layer-store.ts';

type Output = StructureOf<(typeof listLayerVersionsOperation)['output']>;

/** A layer that is not there has no versions. */
export function serveListLayerVersions({ database, settings }: FunctionPorts): ServedOperation {
  return serve(listLayerVersionsOperation, async (input): Promise<Output> => {
    const name = ownLayerName(input.LayerName, settings);
    if (name === undefined) return { LayerVersions: [] };
    const [last] = readMarker(input.Marker);
    const after = last === undefined ? undefined : Number(last);
    const filter = {
      runtime: input.CompatibleRuntime,
      architecture: input.CompatibleArchitecture,
    };
    const page = await pageOf(
      input.MaxItems,
      (size) => database.read((sql) => listLayerVersions(sql, name, filter, { after, size })),
      ({ version }) => [String(version)],
    );
    const LayerVersions = page.items.map((layer) => representListed(layer, settings));
    return page.marker === undefined
      ? { LayerVersions }
      : { LayerVersions, NextMarker: page.marker };
  });
}
