import { deleteLayerVersion as deleteLayerVersionOperation } from '#functions-contract/operations/layers.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { checkVersionNumber, ownLayerName } from '../find-layer.ts';
import { deleteLayerVersion } from '../layer-store.ts';

/** One that is not there is deleted already. */
export function serveDeleteLayerVersion(ports: FunctionPorts): ServedOperation {
  const { database, settings, clock } = ports;
  return serve(deleteLayerVersionOperation, async (named) => {
    checkVersionNumber(named);
    const name = ownLayerName(named.LayerName, settings);
    if (name === undefined) return {};
    const now = clock.now();
    await database.write((sql) => deleteLayerVersion(sql, name, named.VersionNumber, now));
    return {};
  });
}
