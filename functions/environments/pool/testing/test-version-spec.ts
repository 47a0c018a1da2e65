import { newConfiguration } from '../../../configuration/configuration.ts';
import type { VersionSpec } from '../../version-spec.ts';

/** A function that nothing runs. */
export function testVersionSpec(id: number, more: Partial<VersionSpec> = {}): VersionSpec {
  return {
    versionId: id,
    functionName: `function-${id}`,
    functionHash: '0a1b2c3d',
    version: '$LATEST',
    configurationId: id,
    configuration: newConfiguration({
      functionName: `function-${id}`,
      role: 'arn:aws:iam::123456789012:role/worker',
      packageType: 'Zip',
      architecture: 'x86_64',
      code: { sha256: '', size: 0, unzippedSize: 0 },
    }),
    sealedVariables: undefined,
    ...more,
  };
}
