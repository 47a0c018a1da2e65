import { present } from '#platform/present.ts';

import type { publishLayerVersion } from '#functions-contract/operations/layers.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { base64Digest } from '../code/code-files.ts';
import { codeLocation } from '../code/code-location.ts';
import { lambdaTimestamp } from '../json/lambda-timestamp.ts';
import type { AccountRegion } from '../model/function-name.ts';
import type { KeyPorts } from '../keys/key-ring.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import { layerArn, layerVersionArn, type LayerVersion } from './layer.ts';

export type LayerVersionOutput = StructureOf<(typeof publishLayerVersion)['output']>;
export type ListedLayerVersion = Omit<LayerVersionOutput, 'Content' | 'LayerArn'>;

export function representLayerVersion(
  layer: LayerVersion,
  ports: Pick<SystemPorts, 'clock' | 'settings'> & Pick<KeyPorts, 'serviceKey'>,
): LayerVersionOutput {
  const { sha256, size } = layer.content;
  return {
    Content: {
      Location: codeLocation(ports, sha256),
      CodeSha256: base64Digest(sha256),
      CodeSize: size,
    },
    LayerArn: layerArn(ports.settings, layer.name),
    ...representListed(layer, ports.settings),
  };
}

/** The same as an item of a list, without the archive. */
export function representListed(
  layer: LayerVersion,
  accountRegion: AccountRegion,
): ListedLayerVersion {
  const { compatibleRuntimes, compatibleArchitectures, licenseInfo } = layer;
  return {
    LayerVersionArn: layerVersionArn(accountRegion, layer.name, layer.version),
    Description: layer.description,
    CreatedDate: lambdaTimestamp(layer.createdAt),
    Version: layer.version,
    ...(compatibleRuntimes && { CompatibleRuntimes: compatibleRuntimes }),
    ...(compatibleArchitectures && { CompatibleArchitectures: compatibleArchitectures }),
    ...present({ LicenseInfo: licenseInfo }),
  };
}
