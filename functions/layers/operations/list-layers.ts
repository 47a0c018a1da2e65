import { listLayers as listLayersOperation } from '#functions-contract/operations/layers.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { pageOf, readMarker } from '../../json/paging.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { layerArn } from '../layer.ts';
import { representListed } from '../layer-json.ts';
import { listLayers } from '../layer-store.ts';

type Output = StructureOf<(typeof listLayersOperation)['output']>;

export function serveListLayers({ database, settings }: FunctionPorts): ServedOperation {
  return serve(listLayersOperation, async (input): Promise<Output> => {
    const [after] = readMarker(input.Marker);
    const filter = {
      runtime: input.CompatibleRuntime,
      architecture: input.CompatibleArchitecture,
    };
    const page = await pageOf(
      input.MaxItems,
      (size) => database.read((sql) => listLayers(sql, filter, { after, size })),
      ({ name }) => [name],
    );
    const Layers = page.items.map((layer) => ({
      LayerName: layer.name,
      LayerArn: layerArn(settings, layer.name),
      LatestMatchingVersion: representListed(layer, settings),
    }));
    return page.marker === undefined ? { Layers } : { Layers, NextMarker: page.marker };
  });
}
