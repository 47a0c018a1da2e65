import { createHash } from 'node:crypto';

import type { functionConfiguration } from '#functions-contract/shapes/function-configuration.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { wireTime } from '../json/lambda-timestamp.ts';
import { functionArn, type Site } from '../model/function-name.ts';
import { decryptionSentence } from '../keys/key-refusal.ts';
import type { Configuration } from './configuration.ts';
import { latest, type FunctionVersion } from './function-record.ts';
import { present } from './present.ts';
import { runtimeVersionArn } from './runtime-version.ts';
import type { OpenedVariables } from './sealed-variables.ts';

export type FunctionConfiguration = StructureOf<typeof functionConfiguration>;

/** The record of the spec. `qualifier` shows in the ARN; it does where a read named one. */
export function representConfiguration(
  record: FunctionVersion,
  variables: OpenedVariables,
  site: Site,
  qualifier?: string,
): FunctionConfiguration {
  const { described, state, lastUpdate } = record;
  return {
    ...representSettings(record, variables, site, qualifier),
    ...present({
      State: state.value,
      StateReason: state.reason?.text,
      StateReasonCode: state.reason?.code,
      LastUpdateStatus: lastUpdate?.value,
      LastUpdateStatusReason: lastUpdate?.reason?.text,
      LastUpdateStatusReasonCode: lastUpdate?.reason?.code,
    }),
    ...runtimeVersion(described.configuration, site),
  };
}

/** Lists tell no states and no runtime versions. */
export function representSettings(
  record: FunctionVersion,
  variables: OpenedVariables,
  site: Site,
  qualifier?: string,
): FunctionConfiguration {
  const { configuration: c } = record.described;
  const managed = c.CapacityProviderConfig;
  return present({
    FunctionName: record.name,
    FunctionArn: functionArn(site, record.name, qualifier),
    Runtime: c.Runtime,
    Role: c.Role,
    Handler: c.Handler,
    CodeSize: c.Code.size,
    Description: c.Description,
    Timeout: c.Timeout,
    MemorySize: c.MemorySize,
    LastModified: wireTime(record.lastModified),
    CodeSha256: c.PackageType === 'Image' ? c.Code.sha256 : base64OfHex(c.Code.sha256),
    Version: record.version,
    VpcConfig: c.VpcConfig,
    DeadLetterConfig:
      c.DeadLetterTargetArn === undefined ? undefined : { TargetArn: c.DeadLetterTargetArn },
    Environment: representEnvironment(variables),
    KMSKeyArn: c.KMSKeyArn,
    TracingConfig: c.TracingConfig,
    RevisionId: record.revisionId,
    Layers:
      c.Layers.length === 0 ? undefined : c.Layers.map(({ Arn, CodeSize }) => ({ Arn, CodeSize })),
    FileSystemConfigs: c.FileSystemConfigs.length === 0 ? undefined : c.FileSystemConfigs,
    PackageType: c.PackageType,
    ImageConfigResponse: c.ImageConfig && { ImageConfig: c.ImageConfig },
    Architectures: [c.Architecture],
    EphemeralStorage: c.EphemeralStorage,
    SnapStart: {
      ...c.SnapStart,
      OptimizationStatus:
        c.SnapStart.ApplyOn === 'PublishedVersions' && record.version !== latest ? 'On' : 'Off',
    },
    LoggingConfig: c.LoggingConfig,
    CapacityProviderConfig: managed,
    ConfigSha256: managed && sha256(JSON.stringify(managed)),
    DurableConfig: c.DurableConfig,
    TenancyConfig: c.TenancyConfig,
  });
}

function representEnvironment(variables: OpenedVariables): FunctionConfiguration['Environment'] {
  switch (variables.kind) {
    case 'never-given':
      return undefined;
    case 'open':
      return { Variables: variables.variables.reveal() };
    case 'refused':
      return { Error: { ErrorCode: variables.exception, Message: decryptionSentence(variables) } };
  }
}

function runtimeVersion(c: Configuration, { region }: Site): FunctionConfiguration {
  const RuntimeVersionArn = runtimeVersionArn(c, region);
  return RuntimeVersionArn === undefined ? {} : { RuntimeVersionConfig: { RuntimeVersionArn } };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function base64OfHex(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}
