import { getLayerVersion } from '#functions-contract/operations/layers.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findLayerOrRefuse } from '../find-layer.ts';
import { representLayerVersion, type LayerVersionAnswer } from '../layer-json.ts';

export function serveGetLayerVersion(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(getLayerVersion, async (named): Promise<LayerVersionAnswer> => {
    const layer = await database.read((sql) => findLayerOrRefuse(sql, settings, named));
    return representLayerVersion(layer, ports);
  });
}
