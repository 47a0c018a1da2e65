import { createHash } from 'node:crypto';

import { present } from '#platform/present.ts';

import { type DefaultsOf, withDefaults } from '#functions-contract/defaults.ts';
import type { updateFunctionConfiguration } from '#functions-contract/operations/update-function-configuration.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import {
  functionSettings,
  logLevelDefault,
  type loggingConfig,
  type tenancyConfig,
  vpcConfig,
} from '#functions-contract/shapes/settings.ts';

/**
 * The code and all settings of one version of a function, with every default of the contract filled in. It is immutable; an update
 * creates another. Members are spelled as on the wire. The environment variables belong to it too but are stored separately,
 * encrypted.
 */
export interface Configuration extends OtherSettings {
  readonly PackageType: 'Zip' | 'Image';
  readonly Architecture: Architecture;
  readonly Code: Code;
  readonly Role: string;
  readonly LoggingConfig: Logging;
  readonly Layers: readonly Layer[];
  /** Absent for container images. */
  readonly Handler?: string;
  /** Absent for container images. */
  readonly Runtime?: string;
  readonly VpcConfig?: Vpc;
  readonly DeadLetterTargetArn?: string;
  readonly TenancyConfig?: StructureOf<typeof tenancyConfig>;
}

type Settings = StructureOf<typeof functionSettings> & SettingDefaults;
type SettingDefaults = DefaultsOf<typeof functionSettings>;

/** The settings that a configuration has as the contract declares them. */
type OtherSettings = Omit<
  Settings,
  'DeadLetterConfig' | 'Environment' | 'Layers' | 'LoggingConfig' | 'VpcConfig'
>;

export type Architecture = 'x86_64' | 'arm64';

export type Variables = Readonly<Record<string, string>>;

export interface Code {
  /** Hex; of the archive, or the digest of the image. */
  readonly sha256: string;
  /** Bytes of the archive; 0 for images. */
  readonly size: number;
  /** Bytes once unpacked. */
  readonly unzippedSize: number;
  readonly image?: {
    /** As given in the request. */
    readonly uri: string;
    /** With the image's digest, so that it never refers to another image. */
    readonly resolvedUri: string;
  };
}

interface Layer {
  readonly Arn: string;
  readonly CodeSize: number;
  /** Hex; of its archive. A deleted layer version stays available to the functions that use it. */
  readonly sha256: string;
}

type Vpc = Required<StructureOf<typeof vpcConfig>> & {
  /** Empty when the function was disconnected. */
  readonly VpcId: string;
};

/** Log levels exist only with the JSON format. */
export type Logging =
  | { readonly LogFormat: 'Text'; readonly LogGroup: string }
  | ({ readonly LogFormat: 'JSON' } & Required<
      Omit<StructureOf<typeof loggingConfig>, 'LogFormat'>
    >);

interface NewConfiguration {
  readonly functionName: string;
  readonly role: string;
  readonly packageType: 'Zip' | 'Image';
  readonly architecture: Architecture;
  readonly code: Code;
}

/** The defaults of a new function; the settings of the request are then applied like any update. */
export function newConfiguration(given: NewConfiguration): Configuration {
  return withDefaults(functionSettings, {
    PackageType: given.packageType,
    Architecture: given.architecture,
    Code: given.code,
    Role: given.role,
    LoggingConfig: { LogFormat: 'Text', LogGroup: `/aws/lambda/${given.functionName}` },
    Layers: [],
  });
}

/** A configuration as it was stored, by an earlier version too: settings that were added since have their defaults. */
export function readConfiguration(stored: string): Configuration {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- function-store.ts writes configurations
  const settings = JSON.parse(stored) as Omit<Configuration, keyof SettingDefaults> &
    Pick<Configuration, 'LoggingConfig'>;
  return withDefaults(functionSettings, settings);
}

/** Settings as a caller gives them; absent ones do not change. */
export type SettingsUpdate = Omit<
  StructureOf<(typeof updateFunctionConfiguration)['input']>,
  'FunctionName' | 'RevisionId'
>;

/** Settings and nothing else: another member of an input would be stored, and shown. */
export type SettingsOnly<Given> = SettingsUpdate &
  Record<Exclude<keyof Given, keyof SettingsUpdate>, never>;

/** What an update refers to, looked up before it is applied. */
interface ResolvedReferences {
  /** Those of `update.Layers`, in that order. */
  readonly layers: readonly Layer[];
  /** The network of the subnets after the update; empty for none. */
  readonly vpcId: string;
}

/**
 * The complete configuration after an update; settings that the update does not name stay. Absent, null and empty differ by
 * member, as recorded: image overrides are replaced as a whole, logging and durability are merged, an empty dead letter structure
 * leaves the target while an empty ARN clears it.
 */
export function applyUpdate(
  current: Configuration,
  update: SettingsUpdate,
  references: ResolvedReferences,
): Configuration {
  const {
    DeadLetterConfig,
    DurableConfig,
    Environment: _variables,
    ImageConfig,
    KMSKeyArn,
    Layers,
    LoggingConfig,
    SnapStart,
    TracingConfig,
    VpcConfig,
    ...replaced
  } = update;
  const {
    DeadLetterTargetArn: currentDeadLetters,
    KMSKeyArn: currentKey,
    ImageConfig: currentImage,
    ...unchanged
  } = current;
  const deadLetters = DeadLetterConfig?.TargetArn ?? currentDeadLetters;
  const key = KMSKeyArn ?? currentKey;
  const image = ImageConfig ?? currentImage;
  return {
    ...unchanged,
    ...replaced,
    ...present({
      Layers: Layers && references.layers,
      VpcConfig: VpcConfig && connected(current.VpcConfig, VpcConfig, references),
      DurableConfig: DurableConfig && { ...current.DurableConfig, ...DurableConfig },
    }),
    TracingConfig: { ...current.TracingConfig, ...TracingConfig },
    SnapStart: { ...current.SnapStart, ...SnapStart },
    LoggingConfig: logging(current.LoggingConfig, LoggingConfig),
    ...(deadLetters ? { DeadLetterTargetArn: deadLetters } : {}),
    ...(key ? { KMSKeyArn: key } : {}),
    ...(image && Object.keys(image).length > 0 ? { ImageConfig: image } : {}),
  };
}

/** A list that is not given stays; two empty lists disconnect the function. */
function connected(
  current: Vpc | undefined,
  update: NonNullable<SettingsUpdate['VpcConfig']>,
  { vpcId }: ResolvedReferences,
): Vpc {
  const next = {
    SubnetIds: update.SubnetIds ?? current?.SubnetIds ?? [],
    SecurityGroupIds: update.SecurityGroupIds ?? current?.SecurityGroupIds ?? [],
    Ipv6AllowedForDualStack:
      update.Ipv6AllowedForDualStack ??
      current?.Ipv6AllowedForDualStack ??
      vpcConfig.members.Ipv6AllowedForDualStack.default,
  };
  const detached = next.SubnetIds.length === 0 && next.SecurityGroupIds.length === 0;
  return detached
    ? { ...next, VpcId: '', Ipv6AllowedForDualStack: false }
    : { ...next, VpcId: vpcId };
}

function logging(current: Logging, update: SettingsUpdate['LoggingConfig']): Logging {
  const { LogFormat, LogGroup, ...levels } = { ...current, ...update };
  if (LogFormat === 'Text') return { LogFormat, LogGroup };
  return {
    ApplicationLogLevel: logLevelDefault,
    SystemLogLevel: logLevelDefault,
    LogFormat,
    LogGroup,
    ...levels,
  };
}

/** The version of the runtime that a function runs on; undefined for images, which bring their own. */
export function runtimeVersionArn(
  { Runtime, Architecture }: Configuration,
  region: string,
): string | undefined {
  if (Runtime === undefined) return undefined;
  const version = createHash('sha256').update(`${Runtime} ${Architecture}`).digest('hex');
  return `arn:aws:lambda:${region}::runtime:${version}`;
}
