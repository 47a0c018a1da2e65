import type { Sql } from '#platform/database/database.ts';

import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import type { AccountRegion } from '../model/function-name.ts';
import {
  codeSigningConfigArn,
  configIdIn,
  noSuchConfigForFunction,
} from './code-signing-config.ts';
import type { CodeSigningConfig } from './code-signing-config.ts';
import { findCodeSigningConfig, findCodeSigningConfigOfFunction } from './code-signing-store.ts';

/**
 * Refuses new code or layers of a function where its configuration enforces trusted signatures; returns the warning where it only
 * warns. AWS Signer creates signatures, and only AWS can verify them, so to Hob all code is unsigned.
 */
export async function checkDeployment(
  sql: Sql,
  accountRegion: AccountRegion,
  { functionId, name }: { readonly functionId: number; readonly name: string },
): Promise<string | undefined> {
  const config = await findCodeSigningConfigOfFunction(sql, functionId);
  return config && checkAgainst(config, accountRegion, name);
}

/** The configuration that a function is to have, or a refusal. */
export async function findConfigForFunction(
  sql: Sql,
  accountRegion: AccountRegion,
  arn: string,
  packageType: 'Zip' | 'Image',
): Promise<CodeSigningConfig> {
  if (packageType === 'Image') {
    throw invalidParameter(
      'Code signing configurations are not supported for functions defined as container images.',
    );
  }
  const configId = configIdIn(accountRegion, arn);
  const config = configId === undefined ? undefined : await findCodeSigningConfig(sql, configId);
  if (!config) throw noSuchConfigForFunction(arn);
  return config;
}

/** The same as `checkDeployment`, for a function that is being created. */
export function checkAgainst(
  config: CodeSigningConfig,
  accountRegion: AccountRegion,
  name: string,
): string {
  if (config.untrustedArtifacts === 'Enforce') {
    throw new FunctionsError(
      'CodeVerificationFailedException',
      `Lambda cannot deploy the function. The function or layer might be signed using a signature that the client is not configured to accept. Check the provided signature for ${name}.`,
    );
  }
  return `The code or a layer of ${name} has no signature that ${codeSigningConfigArn(accountRegion, config.configId)} trusts.`;
}
