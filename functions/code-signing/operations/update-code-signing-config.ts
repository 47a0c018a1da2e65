import { updateCodeSigningConfig } from '#functions-contract/operations/code-signing.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { representCodeSigningConfig } from '../code-signing-config.ts';
import { replaceCodeSigningConfig } from '../code-signing-store.ts';
import { findConfigOrRefuse } from '../find-code-signing-config.ts';

type Output = StructureOf<(typeof updateCodeSigningConfig)['output']>;

/** What the input leaves out stays as it is. */
export function serveUpdateCodeSigningConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings, clock } = ports;
  return serve(updateCodeSigningConfig, async (input): Promise<Output> => {
    const lastModified = clock.now();
    const changed = await database.write(async (sql) => {
      const config = await findConfigOrRefuse(sql, settings, input.CodeSigningConfigArn);
      const { AllowedPublishers, CodeSigningPolicies } = input;
      const next = {
        ...config,
        description: input.Description ?? config.description,
        publishers: AllowedPublishers?.SigningProfileVersionArns ?? config.publishers,
        untrustedArtifacts:
          CodeSigningPolicies?.UntrustedArtifactOnDeployment ?? config.untrustedArtifacts,
        lastModified,
      };
      await replaceCodeSigningConfig(sql, next);
      return next;
    });
    return { CodeSigningConfig: representCodeSigningConfig(changed, settings) };
  });
}
