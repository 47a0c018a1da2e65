import type { createCodeSigningConfig } from '#functions-contract/operations/code-signing.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import { lambdaTimestamp } from '../json/lambda-timestamp.ts';
import type { AccountRegion } from '../model/function-name.ts';

export interface CodeSigningConfig {
  /** Of its row. */
  readonly id: number;
  /** `csc-` and 17 letters and digits. */
  readonly configId: string;
  readonly description: string;
  /** ARNs of signing profile versions. */
  readonly publishers: readonly string[];
  readonly untrustedArtifacts: 'Warn' | 'Enforce';
  readonly tags: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  readonly lastModified: number;
}

type Represented = NonNullable<
  StructureOf<(typeof createCodeSigningConfig)['output']>['CodeSigningConfig']
>;

export function codeSigningConfigArn(
  { region, accountId }: AccountRegion,
  configId: string,
): string {
  return `arn:aws:lambda:${region}:${accountId}:code-signing-config:${configId}`;
}

/** The id in an ARN that satisfies the contract's pattern; undefined for another account or region, where nothing is found. */
export function configIdIn(accountRegion: AccountRegion, arn: string): string | undefined {
  const configId = arn.slice(arn.lastIndexOf(':') + 1);
  return codeSigningConfigArn(accountRegion, configId) === arn ? configId : undefined;
}

export function representCodeSigningConfig(
  config: Omit<CodeSigningConfig, 'id'>,
  accountRegion: AccountRegion,
): Represented {
  return {
    CodeSigningConfigId: config.configId,
    CodeSigningConfigArn: codeSigningConfigArn(accountRegion, config.configId),
    Description: config.description,
    AllowedPublishers: { SigningProfileVersionArns: config.publishers },
    CodeSigningPolicies: { UntrustedArtifactOnDeployment: config.untrustedArtifacts },
    LastModified: lambdaTimestamp(config.lastModified),
  };
}

/** For operations that give a function a configuration. */
export function noSuchConfigForFunction(arn: string): FunctionsError {
  return new FunctionsError(
    'CodeSigningConfigNotFoundException',
    `The code signing configuration cannot be found. Check that the provided configuration is not deleted: ${arn}.`,
  );
}

/** For operations on a configuration itself. */
export function noSuchConfig(arn: string): FunctionsError {
  return new FunctionsError(
    'ResourceNotFoundException',
    `The Lambda code signing configuration ${arn} can not be found.`,
  );
}
