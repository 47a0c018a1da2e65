import { publishLayerVersion } from '#functions-contract/operations/layers.ts';

import { recordCode } from '../../code/code-store.ts';
import { takeCode } from '../../configuration/ingest-function-code.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { noSuchResource } from '../../errors/no-such-resource.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { ownLayerName } from '../find-layer.ts';
import { representLayerVersion, type LayerVersionAnswer } from '../layer-json.ts';
import { insertLayerVersion } from '../layer-store.ts';

export function servePublishLayerVersion(ports: FunctionPorts): ServedOperation {
  const { database, clock, settings } = ports;
  return serve(publishLayerVersion, async (input): Promise<LayerVersionAnswer> => {
    const name = ownLayerName(input.LayerName, settings);
    if (name === undefined) throw noSuchResource();
    const archive = {
      packageType: 'Zip',
      architecture: 'x86_64',
      versions: 1,
      freedBytes: 0,
    } as const;
    const layer = await takeCode(ports, archive, input.Content, (code) => {
      const createdAt = clock.now();
      return database.write(async (sql) => {
        await recordCode(sql, code, createdAt);
        return insertLayerVersion(sql, {
          name,
          content: code,
          description: input.Description ?? '',
          licenseInfo: input.LicenseInfo,
          compatibleRuntimes: input.CompatibleRuntimes,
          compatibleArchitectures: input.CompatibleArchitectures,
          createdAt,
        });
      });
    });
    return representLayerVersion(layer, ports);
  });
}
