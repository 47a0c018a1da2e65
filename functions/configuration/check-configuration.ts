import { environmentBytesMax, layersMax } from '#functions-contract/limits.ts';
import { reservedVariables } from '#functions-contract/reserved-variables.ts';
import {
  managedInstanceRuntimes,
  runtimeSupport,
  snapStartRuntimes,
  supportedRuntimes,
} from '#functions-contract/runtimes.ts';

import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import { unzippedSizeRefusal } from '../code/ingest-code.ts';
import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import { declarationHint } from '../configured-resources/resource-kinds.ts';
import type { AccountRegion } from '../model/function-name.ts';
import { encryptionErrorMessage, type KeyRefusal } from '../keys/key.ts';
import type { SettingsUpdate, Configuration } from './configuration.ts';

/** The facts that the rules are checked against. */
export interface CheckContext {
  /** The configuration before the change; for a new function it has the settings that cannot change later. */
  readonly current: Configuration;
  readonly accountRegion: AccountRegion;
  readonly configured: ConfiguredResources;
  /** ARN of the caller. */
  readonly callerArn: string;
  /** ARN of the function that the settings are for. */
  readonly functionArn: string;
  /** Each of `given.Layers` that exists, with the bytes of its content. */
  readonly layers: ReadonlyMap<string, { readonly unzippedSize: number }>;
  /** Why the variables cannot be encrypted with the key of `next`. */
  readonly keyRefusal?: KeyRefusal;
}

/**
 * Refuses what the constraints of the contract allow and AWS does not, in the order of AWS's checks: `given` is the request,
 * `next` the resulting configuration. Nothing is stored before this check.
 */
export function checkConfiguration(
  given: SettingsUpdate,
  next: Configuration,
  context: CheckContext,
): void {
  for (const rule of rules) {
    const refusal = rule(given, next, context);
    if (refusal !== undefined)
      throw typeof refusal === 'string' ? invalidParameter(refusal) : refusal;
  }
}

/** A string is the message of an InvalidParameterValueException. */
type Rule = (
  given: SettingsUpdate,
  next: Configuration,
  context: CheckContext,
) => string | FunctionsError | undefined;

const rules: readonly Rule[] = [
  function package_(given, next) {
    if (next.PackageType === 'Image') {
      return given.Handler !== undefined || given.Runtime !== undefined || given.Layers?.length
        ? "Please don't provide Handler or Runtime or Layer when the intended function PackageType is Image."
        : undefined;
    }
    if (given.ImageConfig && Object.keys(given.ImageConfig).length > 0) {
      return "Please don't provide ImageConfig when updating a function with packageType Zip.";
    }
    return next.Runtime === undefined || next.Handler === undefined
      ? 'Runtime and Handler are mandatory parameters for functions created with deployment packages.'
      : undefined;
  },

  function runtime(given) {
    if (given.Runtime === undefined) return undefined;
    switch (runtimeSupport(given.Runtime)) {
      case 'supported':
        return undefined;
      case 'deprecated':
        return `The runtime parameter of ${given.Runtime} is no longer supported for creating or updating AWS Lambda functions. We recommend you use a supported runtime while creating or updating functions.`;
      case 'unknown':
        return `Value ${given.Runtime} at 'runtime' failed to satisfy constraint: Member must satisfy enum value set: [${supportedRuntimes.join(', ')}] or be a valid ARN`;
    }
  },

  function environment({ Environment }) {
    const variables = Environment?.Variables ?? {};
    const reserved = reservedVariables.filter((name) => Object.hasOwn(variables, name));
    const unable =
      'Lambda was unable to configure your environment variables because the environment variables you have provided';
    if (reserved.length > 0) {
      return `${unable} contains reserved keys that are currently not supported for modification. Reserved keys used in this request: ${reserved.join(', ')}`;
    }
    const measured = JSON.stringify(variables);
    return Buffer.byteLength(measured) > environmentBytesMax
      ? `${unable} exceeded the 4KB limit. String measured: ${measured}`
      : undefined;
  },

  function layers({ Layers = [] }, next, { accountRegion, layers: known, callerArn }) {
    if (Layers.length > layersMax) return `Cannot reference more than ${layersMax} layers.`;
    for (const [index, arn] of Layers.entries()) {
      const earlier = Layers.slice(0, index).find((other) => layerOf(other) === layerOf(arn));
      if (earlier !== undefined) {
        return `Two different versions of the same layer are not allowed to be referenced in the same function. ${earlier} and ${arn} are versions of the same layer.`;
      }
    }
    for (const arn of Layers) {
      const [, , , region, account] = arn.split(':');
      if (region !== accountRegion.region) {
        return `Layers are not in the same region as the function. Layers are expected to be in region ${accountRegion.region}.`;
      }
      if (account !== accountRegion.accountId) return layerOfOther(arn, callerArn);
      if (!known.has(arn)) return `Layer version ${arn} does not exist.`;
    }
    const sizes = Layers.map((arn) => known.get(arn)?.unzippedSize ?? 0);
    return unzippedSizeRefusal([next.Code.unzippedSize, ...sizes]);
  },

  function role({ Role }, _next, { accountRegion }) {
    return Role !== undefined && Role.split(':')[4] !== accountRegion.accountId
      ? new FunctionsError('AccessDeniedException', 'Cross-account pass role is not allowed.')
      : undefined;
  },

  function network({ VpcConfig }, _next, { configured }) {
    const subnet = VpcConfig?.SubnetIds?.find((id) => !configured.subnets.has(id));
    if (subnet !== undefined) {
      return `Error occurred while DescribeSubnets. EC2 Error Code: InvalidSubnetID.NotFound. EC2 Error Message: The subnet ID '${subnet}' does not exist. ${declarationHint('subnet', subnet)}`;
    }
    const group = VpcConfig?.SecurityGroupIds?.find((id) => !configured.securityGroups.has(id));
    return group === undefined
      ? undefined
      : `Error occurred while DescribeSecurityGroups. EC2 Error Code: InvalidGroup.NotFound. EC2 Error Message: The security group '${group}' does not exist. ${declarationHint('security-group', group)}`;
  },

  function oneNetwork({ VpcConfig }, next, { configured }) {
    if (!VpcConfig || !next.VpcConfig) return undefined;
    const { SubnetIds, SecurityGroupIds } = next.VpcConfig;
    const networks = new Set([
      ...SubnetIds.map((id) => configured.subnets.get(id)?.vpcId),
      ...SecurityGroupIds.map((id) => configured.securityGroups.get(id)?.vpcId),
    ]);
    if (networks.size > 1) return 'The subnets and security groups belong to different VPCs.';
    return (SubnetIds.length === 0) !== (SecurityGroupIds.length === 0)
      ? 'SubnetIds and SecurityIds must coexist or be both empty list.'
      : undefined;
  },

  function deadLetters({ DeadLetterConfig }, _next, { configured }) {
    const target = DeadLetterConfig?.TargetArn;
    if (!target || configured.targets.has(target)) return undefined;
    const action = target.split(':')[2] === 'sns' ? 'Publish on SNS' : 'SendMessage on SQS';
    return `The provided execution role does not have permissions to call ${action}. ${declarationHint('target', target)}`;
  },

  function key(_given, _next, { keyRefusal }) {
    return keyRefusal && encryptionErrorMessage(keyRefusal);
  },

  function fileSystems(given, next, { configured }) {
    const [fileSystem] = next.FileSystemConfigs;
    if (given.FileSystemConfigs && /^\/mnt\/\.\.?$/.test(fileSystem?.LocalMountPath ?? '')) {
      return `The local mount path ${fileSystem?.LocalMountPath} is not a directory below /mnt.`;
    }
    if (!fileSystem || !(given.FileSystemConfigs ?? given.VpcConfig)) return undefined;
    if (!next.VpcConfig?.SubnetIds.length) {
      return `Function must be configured to execute in a VPC to reference access point ${fileSystem.Arn}. Please update the function configuration to include VPC subnets and security groups.`;
    }
    return configured.accessPoints.has(fileSystem.Arn)
      ? undefined
      : `EFS access point ${fileSystem.Arn} does not exist. ${declarationHint('access-point', fileSystem.Arn)}`;
  },

  function snapStart({ SnapStart, Runtime }, next) {
    if (next.SnapStart.ApplyOn === 'None' || !(SnapStart ?? Runtime)) return undefined;
    if (next.PackageType === 'Image') {
      return 'ContainerImage is not supported for SnapStart enabled functions';
    }
    return next.Runtime !== undefined && snapStartRuntimes.includes(next.Runtime)
      ? undefined
      : `${next.Runtime} is not supported for SnapStart enabled functions.`;
  },

  function logging({ LoggingConfig }, next) {
    const level = LoggingConfig?.ApplicationLogLevel ?? LoggingConfig?.SystemLogLevel;
    return level !== undefined && next.LoggingConfig.LogFormat === 'Text'
      ? 'LogLevel is not supported when LogFormat is set to "Text". Remove LogLevel from your request or change the LogFormat to "JSON" and try again.'
      : undefined;
  },

  function capacity({ CapacityProviderConfig }, _next, { configured, current }) {
    if (CapacityProviderConfig && current.CapacityProviderConfig === undefined) {
      return "CapacityProviderConfig isn't supported for Lambda Default functions.";
    }
    const arn =
      CapacityProviderConfig?.LambdaManagedInstancesCapacityProviderConfig.CapacityProviderArn;
    return arn === undefined || configured.capacityProviders.has(arn)
      ? undefined
      : new FunctionsError(
          'ResourceNotFoundException',
          `Capacity provider not found: ${arn}. ${declarationHint('capacity-provider', arn)}`,
        );
  },

  function capacityRuntime({ CapacityProviderConfig, Runtime }, next) {
    if (next.CapacityProviderConfig === undefined || !(CapacityProviderConfig ?? Runtime)) {
      return undefined;
    }
    return next.Runtime === undefined || managedInstanceRuntimes.includes(next.Runtime)
      ? undefined
      : `Runtime Enum ${next.Runtime} does not support specified feature: Lambda Managed Instances`;
  },

  function durability({ DurableConfig }, next) {
    return DurableConfig && next.DurableConfig?.ExecutionTimeout === undefined
      ? 'You cannot create a function with a durable configuration without an executionTimeout'
      : undefined;
  },
];

function layerOf(versionArn: string): string {
  return versionArn.slice(0, versionArn.lastIndexOf(':'));
}

function layerOfOther(arn: string, callerArn: string): FunctionsError {
  return new FunctionsError(
    'AccessDeniedException',
    `User: ${callerArn} is not authorized to perform: lambda:GetLayerVersion on resource: ${arn} because no resource-based policy allows the lambda:GetLayerVersion action`,
  );
}
