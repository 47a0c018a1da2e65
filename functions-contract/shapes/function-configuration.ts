/** The record of a function's configuration, the answer of most operations (docs/specification/functions.md 3.1). */
import { lastUpdateStatuses, states, stateReasonCodes } from '../state-codes.ts';
import { list, long, integer, optional, string, structure, text, type Shape } from '../shape.ts';
import {
  capacityProviderConfig,
  deadLetterConfig,
  ephemeralStorage,
  fileSystemConfig,
  imageConfig,
  latestSettings,
  loggingConfig,
  snapStart,
  tenancyConfig,
  tracingConfig,
  vpcConfig,
  environment,
} from './settings.ts';

const settingError = structure({
  ErrorCode: optional(text, 'Code of the error.'),
  Message: optional(text, 'Message of the error.'),
});

const member = <const S extends Shape>(shape: S, description: string) =>
  optional(shape, description);

export const functionConfiguration = structure({
  FunctionName: member(text, 'Name of the function.'),
  FunctionArn: member(text, 'ARN of the function, or of the requested version or alias.'),
  Runtime: member(text, 'Runtime of a function from a zip archive.'),
  Role: member(text, 'Execution role.'),
  Handler: member(text, 'Method that the runtime calls.'),
  CodeSize: member(long, 'Size of the deployment package, in bytes.'),
  Description: member(text, 'Description.'),
  Timeout: member(integer({}), 'Timeout of an invocation, in seconds.'),
  MemorySize: member(integer({}), 'Memory in MB.'),
  LastModified: member(text, 'Time of the last change.'),
  CodeSha256: member(text, 'SHA-256 of the deployment package.'),
  Version: member(text, '$LATEST or the number of the version.'),
  VpcConfig: member(
    structure({
      SubnetIds: vpcConfig.members.SubnetIds,
      SecurityGroupIds: vpcConfig.members.SecurityGroupIds,
      VpcId: member(text, 'Id of the VPC that contains the subnets.'),
      Ipv6AllowedForDualStack: vpcConfig.members.Ipv6AllowedForDualStack,
    }),
    'Network to which the function is connected.',
  ),
  DeadLetterConfig: member(deadLetterConfig, 'Queue or topic for failed asynchronous events.'),
  Environment: member(
    structure({
      ...environment.members,
      Error: member(settingError, 'Error that prevents these settings from being applied.'),
    }),
    'Environment variables.',
  ),
  KMSKeyArn: member(text, 'ARN of the key that encrypts the environment variables.'),
  TracingConfig: member(tracingConfig, 'Tracing settings.'),
  MasterArn: member(text, 'ARN of the main function of an edge replica.'),
  RevisionId: member(text, 'Changes with every change of the function or alias.'),
  Layers: member(
    list(
      structure({
        Arn: member(text, 'ARN of the layer version.'),
        CodeSize: member(long, 'Size of the layer archive, in bytes.'),
        SigningProfileVersionArn: member(text, 'Signing profile.'),
        SigningJobArn: member(text, 'Signing job.'),
      }),
      {},
    ),
    'Layers, in the order in which they are applied.',
  ),
  State: member(string({ values: states }), 'State of the function.'),
  StateReason: member(text, 'Reason for the state.'),
  StateReasonCode: member(string({ values: stateReasonCodes }), 'Reason code.'),
  LastUpdateStatus: member(string({ values: lastUpdateStatuses }), 'Status of the last update.'),
  LastUpdateStatusReason: member(text, 'Reason for the status of the last update.'),
  LastUpdateStatusReasonCode: member(string({ values: stateReasonCodes }), 'Reason code.'),
  FileSystemConfigs: member(list(fileSystemConfig, {}), 'File systems.'),
  PackageType: member(string({ values: ['Zip', 'Image'] }), 'Zip or Image.'),
  ImageConfigResponse: member(
    structure({
      ImageConfig: member(imageConfig, 'Settings that override those of the image.'),
      Error: member(settingError, 'Error that prevents these settings from being applied.'),
    }),
    'Settings that override those of the image.',
  ),
  SigningProfileVersionArn: member(text, 'Signing profile.'),
  SigningJobArn: member(text, 'Signing job.'),
  Architectures: member(
    list(string({ values: ['x86_64', 'arm64'] }), {}),
    'Instruction set; one item.',
  ),
  EphemeralStorage: member(ephemeralStorage, 'Size of /tmp.'),
  SnapStart: member(
    structure({
      ...snapStart.members,
      OptimizationStatus: member(
        string({ values: ['On', 'Off'] }),
        'Whether this version uses a snapshot.',
      ),
    }),
    'Snapshot settings for published versions.',
  ),
  RuntimeVersionConfig: member(
    structure({
      RuntimeVersionArn: member(text, 'ARN of the version of the runtime.'),
      Error: member(settingError, 'Error that prevents the runtime version from being applied.'),
    }),
    'Version of the runtime in use.',
  ),
  LoggingConfig: member(loggingConfig, 'Log format, levels and log group.'),
  CapacityProviderConfig: member(capacityProviderConfig, 'Capacity provider of the function.'),
  ConfigSha256: member(text, 'SHA-256 of the configuration.'),
  ...latestSettings,
  TenancyConfig: member(tenancyConfig, 'Tenant isolation.'),
});
