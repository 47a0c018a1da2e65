import { createCodeSigningConfig } from '#functions-contract/operations/code-signing.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { checkTags } from '../../tags/check-tags.ts';
import { representCodeSigningConfig } from '../code-signing-config.ts';
import { insertCodeSigningConfig } from '../code-signing-store.ts';

type Output = StructureOf<(typeof createCodeSigningConfig)['output']>;

export function serveCreateCodeSigningConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings, clock, random } = ports;
  return serve(createCodeSigningConfig, async (input): Promise<Output> => {
    const { Tags = {} } = input;
    checkTags(Tags);
    const config = {
      configId: `csc-${random.bytes(9).toString('hex').slice(0, 17)}`,
      description: input.Description ?? '',
      publishers: input.AllowedPublishers.SigningProfileVersionArns,
      untrustedArtifacts: input.CodeSigningPolicies?.UntrustedArtifactOnDeployment ?? 'Warn',
      tags: Tags,
      lastModified: clock.now(),
    };
    await database.write((sql) => insertCodeSigningConfig(sql, config));
    return { CodeSigningConfig: representCodeSigningConfig(config, settings) };
  });
}
