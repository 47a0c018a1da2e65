/** The record of a function's configuration, the answer of most operations (spec, Function configuration). */
import { lastUpdateStatuses, states, stateReasonCodes } from '../state-codes.ts';
import { list, long, integer, optional, string, structure, text, type Shape } from '../shape.ts';
import {
  capacityProviderConfig,
  deadLetterConfig,
  durableConfig,
  ephemeralStorage,
  fileSystemConfig,
  imageConfig,
  loggingConfig,
  snapStart,
  tenancyConfig,
  tracingConfig,
  vpcConfig,
  environment,
} from './settings.ts';

const settingError = structure({
  ErrorCode: optional(text, 'Name of the error.'),
  Message: optional(text, 'What went wrong.'),
});

const member = <const S extends Shape>(shape: S, about: string) => optional(shape, about);

export const functionConfiguration = structure({
  FunctionName: member(text, 'Name of the function.'),
  FunctionArn: member(
    text,
    'ARN of the function, of its version or alias where one was asked for.',
  ),
  Runtime: member(text, 'Runtime of a function from a zip archive.'),
  Role: member(text, 'Execution role.'),
  Handler: member(text, 'What the runtime calls.'),
  CodeSize: member(long, 'Bytes of the deployment package.'),
  Description: member(text, 'Description.'),
  Timeout: member(integer({}), 'Seconds that an invocation may take.'),
  MemorySize: member(integer({}), 'MB of memory.'),
  LastModified: member(text, 'When the function was last changed.'),
  CodeSha256: member(text, 'SHA-256 of the deployment package.'),
  Version: member(text, '$LATEST or the number of the version.'),
  VpcConfig: member(
    structure({ ...vpcConfig.members, VpcId: member(text, 'The network of the subnets.') }),
    'Network that the function is connected to.',
  ),
  DeadLetterConfig: member(deadLetterConfig, 'Where asynchronous events that failed go.'),
  Environment: member(
    structure({ ...environment.members, Error: member(settingError, 'Why they do not apply.') }),
    'Environment variables.',
  ),
  KMSKeyArn: member(text, 'Key that encrypts the environment variables.'),
  TracingConfig: member(tracingConfig, 'Tracing.'),
  MasterArn: member(text, 'The main function of one replicated to the edge.'),
  RevisionId: member(text, 'Changes with every change of the function or alias.'),
  Layers: member(
    list(
      structure({
        Arn: member(text, 'ARN of the layer version.'),
        CodeSize: member(long, 'Bytes of its archive.'),
        SigningProfileVersionArn: member(text, 'Signing profile.'),
        SigningJobArn: member(text, 'Signing job.'),
      }),
      {},
    ),
    'Layers, in the order in which they are laid over one another.',
  ),
  State: member(string({ values: states }), 'State of the function.'),
  StateReason: member(text, 'The reason for the state.'),
  StateReasonCode: member(string({ values: stateReasonCodes }), 'The reason, as a code.'),
  LastUpdateStatus: member(string({ values: lastUpdateStatuses }), 'How the last update went.'),
  LastUpdateStatusReason: member(text, 'The reason for it.'),
  LastUpdateStatusReasonCode: member(
    string({ values: stateReasonCodes }),
    'The reason, as a code.',
  ),
  FileSystemConfigs: member(list(fileSystemConfig, {}), 'File systems.'),
  PackageType: member(string({ values: ['Zip', 'Image'] }), 'Zip or Image.'),
  ImageConfigResponse: member(
    structure({
      ImageConfig: member(imageConfig, 'What overrides the values of the image.'),
      Error: member(settingError, 'Why they do not apply.'),
    }),
    'What overrides the values of the image.',
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
        'Whether a snapshot is in use for this version.',
      ),
    }),
    'Snapshots of published versions.',
  ),
  RuntimeVersionConfig: member(
    structure({
      RuntimeVersionArn: member(text, 'ARN of the version of the runtime.'),
      Error: member(settingError, 'Why it does not apply.'),
    }),
    'Version of the runtime.',
  ),
  LoggingConfig: member(loggingConfig, 'Logs.'),
  CapacityProviderConfig: member(capacityProviderConfig, 'Capacity provider.'),
  ConfigSha256: member(text, 'SHA-256 of the configuration.'),
  DurableConfig: member(durableConfig, 'Durable executions.'),
  TenancyConfig: member(tenancyConfig, 'Isolation of tenants.'),
});
