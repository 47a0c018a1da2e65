import { present } from '#platform/present.ts';

import type { StructureOf } from '#functions-contract/shape.ts';
import type { functionConfiguration } from '#functions-contract/shapes/function-configuration.ts';
import type { StateReasonCode } from '#functions-contract/state-codes.ts';

import { lambdaTimestamp } from '../json/lambda-timestamp.ts';
import type { KeyPorts } from '../keys/key-ring.ts';
import { decryptionErrorMessage } from '../keys/key.ts';
import { functionArn, type AccountRegion } from '../model/function-name.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import { type Configuration, runtimeVersionArn } from './configuration.ts';
import { configurationDigest } from './configuration-digest.ts';
import { latest, type FunctionVersion } from './function-record.ts';
import { type OpenedVariables, openVariables } from './variables-store.ts';

type FunctionConfiguration = StructureOf<typeof functionConfiguration>;

/** The configuration of docs/specification/functions.md 3.1. `qualifier` is part of the ARN if the request named one. */
function representConfiguration(
  record: FunctionVersion,
  variables: OpenedVariables,
  accountRegion: AccountRegion,
  qualifier?: string,
): FunctionConfiguration {
  const { state, lastUpdate } = record;
  return {
    ...representSettings(record, variables, accountRegion, qualifier),
    ...present({
      State: state.value,
      StateReason: state.reason?.text,
      StateReasonCode: state.reason?.code,
      LastUpdateStatus: lastUpdate?.value,
      LastUpdateStatusReason: lastUpdate?.reason?.text,
      LastUpdateStatusReasonCode: lastUpdate?.reason?.code,
    }),
    ...settingsWithErrors(record, accountRegion),
  };
}

/** Lists contain neither states nor runtime versions. */
function representSettings(
  record: FunctionVersion,
  variables: OpenedVariables,
  accountRegion: AccountRegion,
  qualifier?: string,
): FunctionConfiguration {
  const {
    Architecture,
    CapacityProviderConfig,
    Code,
    DeadLetterTargetArn,
    Description,
    EphemeralStorage,
    FileSystemConfigs,
    Handler,
    ImageConfig,
    KMSKeyArn,
    Layers,
    LoggingConfig,
    MemorySize,
    PackageType,
    Role,
    Runtime,
    SnapStart,
    TenancyConfig,
    Timeout,
    TracingConfig,
    VpcConfig,
    ...latestSettings
  } = record.desired.configuration;
  return present({
    FunctionName: record.name,
    FunctionArn: functionArn(accountRegion, record.name, qualifier),
    Runtime,
    Role,
    Handler,
    CodeSize: Code.size,
    Description,
    Timeout,
    MemorySize,
    LastModified: lambdaTimestamp(record.lastModified),
    CodeSha256: PackageType === 'Image' ? Code.sha256 : base64OfHex(Code.sha256),
    Version: record.version,
    VpcConfig,
    DeadLetterConfig:
      DeadLetterTargetArn === undefined ? undefined : { TargetArn: DeadLetterTargetArn },
    Environment: representEnvironment(variables),
    KMSKeyArn,
    TracingConfig,
    RevisionId: record.revisionId,
    Layers:
      Layers.length === 0 ? undefined : Layers.map(({ Arn, CodeSize }) => ({ Arn, CodeSize })),
    FileSystemConfigs: FileSystemConfigs.length === 0 ? undefined : FileSystemConfigs,
    PackageType,
    ImageConfigResponse: ImageConfig && { ImageConfig },
    Architectures: [Architecture],
    EphemeralStorage,
    SnapStart: {
      ...SnapStart,
      OptimizationStatus:
        SnapStart.ApplyOn === 'PublishedVersions' && record.version !== latest ? 'On' : 'Off',
    },
    LoggingConfig,
    CapacityProviderConfig,
    ConfigSha256: CapacityProviderConfig && configurationDigest(record.desired),
    ...latestSettings,
    TenancyConfig,
  });
}

function representEnvironment(variables: OpenedVariables): FunctionConfiguration['Environment'] {
  switch (variables.kind) {
    case 'never-given':
      return undefined;
    case 'open':
      return { Variables: variables.variables.reveal() };
    case 'refused':
      return {
        Error: { ErrorCode: variables.exception, Message: decryptionErrorMessage(variables) },
      };
  }
}

/** The settings that name the error where they caused the failure (docs/specification/functions.md 3.2). */
function settingsWithErrors(
  { desired: { configuration }, lastUpdate }: FunctionVersion,
  { region }: AccountRegion,
): FunctionConfiguration {
  const { ImageConfig } = configuration;
  const reason = lastUpdate?.value === 'Failed' ? lastUpdate.reason : undefined;
  const error = reason && { ErrorCode: reason.code, Message: reason.text };
  const RuntimeVersionArn = runtimeVersionArn(configuration, region);
  const version = RuntimeVersionArn === undefined ? undefined : { RuntimeVersionArn };
  return present({
    ImageConfigResponse:
      ImageConfig && error && isOfImageConfig(ImageConfig, error.ErrorCode)
        ? { ImageConfig, Error: error }
        : undefined,
    RuntimeVersionConfig: error?.ErrorCode === 'InvalidRuntime' ? { Error: error } : version,
  });
}

type ImageConfig = NonNullable<Configuration['ImageConfig']>;

/** Whether the function overrides what did not start; otherwise the image itself is wrong. */
function isOfImageConfig(overrides: ImageConfig, code: StateReasonCode): boolean {
  return (imageConfigMembers[code] ?? []).some((name) => overrides[name] !== undefined);
}

const imageConfigMembers: Partial<Record<StateReasonCode, readonly (keyof ImageConfig)[]>> = {
  'FunctionError.InvalidEntryPoint': ['EntryPoint', 'Command'],
  'FunctionError.PermissionDenied': ['EntryPoint', 'Command'],
  'FunctionError.InvalidWorkingDirectory': ['WorkingDirectory'],
};

function base64OfHex(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}

/** The FunctionConfiguration of a version, with decrypted variables. */
export async function represent(
  { keys, settings }: Pick<KeyPorts, 'keys'> & Pick<SystemPorts, 'settings'>,
  version: FunctionVersion,
  qualifier?: string,
): Promise<FunctionConfiguration> {
  const variables = await openVariables(keys, version.name, version.desired.sealedVariables);
  return representConfiguration(version, variables, settings, qualifier);
}

/** The same as an item of a list. */
export async function representItem(
  { keys, settings }: Pick<KeyPorts, 'keys'> & Pick<SystemPorts, 'settings'>,
  version: FunctionVersion,
  qualifier?: string,
): Promise<FunctionConfiguration> {
  const variables = await openVariables(keys, version.name, version.desired.sealedVariables);
  return representSettings(version, variables, settings, qualifier);
}
