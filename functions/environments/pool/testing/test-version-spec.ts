import { type Configuration, newConfiguration } from '../../../configuration/configuration.ts';
import type { VersionSpec } from '../../version-spec.ts';

interface TestVersionSpec extends Partial<Omit<VersionSpec, 'configuration'>> {
  /** Options of the function. */
  readonly settings?: Partial<Configuration>;
}

/** A function that nothing runs. */
export function testVersionSpec(
  id: number,
  { settings, ...more }: TestVersionSpec = {},
): VersionSpec {
  return {
    versionId: id,
    functionName: `function-${id}`,
    functionHash: '0a1b2c3d',
    version: '$LATEST',
    configurationId: id,
    configuration: {
      ...newConfiguration({
        functionName: `function-${id}`,
        role: 'arn:aws:iam::123456789012:role/worker',
        packageType: 'Zip',
        architecture: 'x86_64',
        code: { sha256: '', size: 0, unzippedSize: 0 },
      }),
      ...settings,
    },
    sealedVariables: undefined,
    ...more,
  };
}
