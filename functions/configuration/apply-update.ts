import type { updateFunctionConfiguration } from '#functions-contract/operations/update-function-configuration.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import type { Configuration, Layer, Logging, Vpc } from './configuration.ts';

/** Settings as a caller gives them; absent ones do not change. */
export type SettingsUpdate = Omit<
  StructureOf<(typeof updateFunctionConfiguration)['input']>,
  'FunctionName' | 'RevisionId'
>;

/** What an update refers to, looked up before it is applied. */
interface ReferredTo {
  /** Those of `update.Layers`, in that order. */
  readonly layers: readonly Layer[];
  /** The network of `update.VpcConfig`; empty for none. */
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
  referredTo: ReferredTo,
): Configuration {
  const { DeadLetterTargetArn, KMSKeyArn, ImageConfig, ...unchanged } = current;
  const deadLetters = update.DeadLetterConfig?.TargetArn ?? DeadLetterTargetArn;
  const key = update.KMSKeyArn ?? KMSKeyArn;
  const image = update.ImageConfig ?? ImageConfig;
  return {
    ...unchanged,
    ...present({
      Role: update.Role,
      Handler: update.Handler,
      Description: update.Description,
      Timeout: update.Timeout,
      MemorySize: update.MemorySize,
      Runtime: update.Runtime,
      EphemeralStorage: update.EphemeralStorage,
      FileSystemConfigs: update.FileSystemConfigs,
      CapacityProviderConfig: update.CapacityProviderConfig,
      Layers: update.Layers && referredTo.layers,
      VpcConfig: update.VpcConfig && connected(current.VpcConfig, update.VpcConfig, referredTo),
      DurableConfig: update.DurableConfig && { ...current.DurableConfig, ...update.DurableConfig },
    }),
    TracingConfig: { ...current.TracingConfig, ...update.TracingConfig },
    SnapStart: { ...current.SnapStart, ...update.SnapStart },
    LoggingConfig: logging(current.LoggingConfig, update.LoggingConfig),
    ...(deadLetters ? { DeadLetterTargetArn: deadLetters } : {}),
    ...(key ? { KMSKeyArn: key } : {}),
    ...(image && Object.keys(image).length > 0 ? { ImageConfig: image } : {}),
  };
}

/** A list that is not given stays; two empty lists disconnect the function. */
function connected(
  current: Vpc | undefined,
  update: NonNullable<SettingsUpdate['VpcConfig']>,
  { vpcId }: ReferredTo,
): Vpc {
  const next = {
    SubnetIds: update.SubnetIds ?? current?.SubnetIds ?? [],
    SecurityGroupIds: update.SecurityGroupIds ?? current?.SecurityGroupIds ?? [],
    Ipv6AllowedForDualStack:
      update.Ipv6AllowedForDualStack ?? current?.Ipv6AllowedForDualStack ?? false,
  };
  const detached = next.SubnetIds.length === 0 && next.SecurityGroupIds.length === 0;
  return detached
    ? { ...next, VpcId: '', Ipv6AllowedForDualStack: false }
    : { ...next, VpcId: vpcId };
}

/** Log levels exist only with the JSON format, where INFO is the default. */
function logging(current: Logging, update: SettingsUpdate['LoggingConfig']): Logging {
  const next = { ...current, ...update };
  if (next.LogFormat === 'Text') return { LogFormat: 'Text', LogGroup: next.LogGroup };
  return { ApplicationLogLevel: 'INFO', SystemLogLevel: 'INFO', ...next };
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the members that are undefined. */
export function present<T extends object>(members: T): Present<T> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- filtered by exactly that
  return Object.fromEntries(entries) as Present<T>;
}
