import type { putRuntimeManagementConfig } from '#functions-contract/operations/runtime-management.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { runtimeVersionArn } from '../configuration/configuration.ts';
import type { FunctionVersion } from '../configuration/function-record.ts';
import { invalidParameter } from '../errors/functions-error.ts';
import { functionArn, type AccountRegion } from '../model/function-name.ts';

export type RuntimeManagement = StructureOf<(typeof putRuntimeManagementConfig)['output']>;

/** When a version's runtime is changed for a newer one. */
export type UpdateRuntimeOn = NonNullable<RuntimeManagement['UpdateRuntimeOn']>;

export function representRuntimeManagement(
  version: FunctionVersion,
  updateOn: UpdateRuntimeOn,
  accountRegion: AccountRegion,
): RuntimeManagement {
  const arn = runtimeVersionArn(version.desired.configuration, accountRegion.region);
  return {
    UpdateRuntimeOn: updateOn,
    FunctionArn: functionArn(accountRegion, version.name, version.version),
    ...(updateOn === 'Manual' && arn !== undefined ? { RuntimeVersionArn: arn } : {}),
  };
}

/** A host has one version of each runtime: only that can be stayed with. */
export function checkRuntimeVersion(
  { desired }: FunctionVersion,
  updateOn: UpdateRuntimeOn,
  arn: string | undefined,
  { region }: AccountRegion,
): void {
  if (updateOn !== 'Manual') {
    if (arn === undefined) return;
    throw invalidParameter('RuntimeVersionArn requires UpdateRuntimeOn Manual.');
  }
  const current = runtimeVersionArn(desired.configuration, region);
  if (arn === undefined) {
    throw invalidParameter('UpdateRuntimeOn Manual requires RuntimeVersionArn.');
  }
  if (arn !== current) {
    throw invalidParameter(
      `The runtime version ${arn} is not available. This host has ${current ?? 'no runtime for container images'}.`,
    );
  }
}
