import { getLayerVersionByArn } from '#functions-contract/operations/layers.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { noSuchResource } from '../../errors/no-such-resource.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findLayerOrRefuse } from '../find-layer.ts';
import { layerArn, readLayerVersionArn } from '../layer.ts';
import { representLayerVersion, type LayerVersionAnswer } from '../layer-json.ts';

export function serveGetLayerVersionByArn(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(getLayerVersionByArn, async ({ Arn }): Promise<LayerVersionAnswer> => {
    const named = readLayerVersionArn(Arn);
    if (!named) throw noSuchResource();
    const layer = await database.read((sql) =>
      findLayerOrRefuse(sql, settings, {
        LayerName: layerArn(named, named.name),
        VersionNumber: named.version,
      }),
    );
    return representLayerVersion(layer, ports);
  });
}
