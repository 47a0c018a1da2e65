/** The settings of a function, and the structures that they are made of; the same in requests and in the record (docs/specification/functions.md 2). */
import {
  memoryMiBDefault,
  memoryMiBMax,
  timeoutSecondsDefault,
  timeoutSecondsMax,
  ephemeralStorageMiBDefault,
} from '../limits.ts';
import {
  handlerPattern,
  layerVersionArnPattern,
  resourceArnPattern,
  roleArnPattern,
  capacityProviderArnPattern,
  environmentNamePattern,
  fileSystemArnPattern,
  logGroupPattern,
  mountPathPattern,
  securityGroupPattern,
  subnetPattern,
} from '../patterns.ts';
import { runtimeNames } from '../runtimes.ts';
import {
  integer,
  list,
  optional,
  string,
  boolean,
  double,
  map,
  required,
  structure,
  text,
} from '../shape.ts';

export const vpcConfig = structure({
  SubnetIds: optional(
    list(string({ min: 0, max: 1024, pattern: subnetPattern }), { max: 16 }),
    'Subnets to which the function is connected.',
  ),
  SecurityGroupIds: optional(
    list(string({ min: 0, max: 1024, pattern: securityGroupPattern }), { max: 5 }),
    'Security groups that control what the function can reach.',
  ),
  Ipv6AllowedForDualStack: optional(
    boolean,
    'Allows outbound IPv6 traffic in dual-stack subnets.',
    { default: false },
  ),
});

export const environment = structure({
  Variables: optional(
    map(string({ pattern: environmentNamePattern, sensitive: true }), string({ sensitive: true }), {
      sensitive: true,
    }),
    'Environment variables of the function. They replace all existing variables.',
  ),
});

export const deadLetterConfig = structure({
  TargetArn: optional(
    string({ pattern: resourceArnPattern }),
    'ARN of the queue or topic for failed asynchronous events; empty to remove it.',
  ),
});

export const tracingConfig = structure({
  Mode: optional(
    string({ values: ['Active', 'PassThrough'] }),
    'Active samples and traces a subset of the requests.',
    { default: 'PassThrough' },
  ),
});

export const fileSystemConfig = structure({
  Arn: required(
    string({ min: 0, max: 200, pattern: fileSystemArnPattern }),
    'ARN of the file system access point.',
  ),
  LocalMountPath: required(
    string({ min: 0, max: 160, pattern: mountPathPattern }),
    'Mount path in the function: /mnt/NAME.',
  ),
});

export const imageConfig = structure({
  EntryPoint: optional(list(text, { max: 1500 }), 'Overrides the entry point of the image.'),
  Command: optional(list(text, { max: 1500 }), 'Overrides the command of the image.'),
  WorkingDirectory: optional(
    string({ max: 1000 }),
    'Overrides the working directory of the image.',
  ),
});

export const ephemeralStorage = structure({
  Size: required(integer({ min: 512, max: 10_240 }), 'Size of /tmp in MB.', {
    default: ephemeralStorageMiBDefault,
  }),
});

export const snapStart = structure({
  ApplyOn: optional(
    string({ values: ['PublishedVersions', 'None'] }),
    'PublishedVersions takes a snapshot of the initialized function when a version is published.',
    { default: 'None' },
  ),
});

/** The level of both log levels, which exist with the JSON format only. */
export const logLevelDefault = 'INFO';

export const loggingConfig = structure({
  LogFormat: optional(string({ values: ['JSON', 'Text'] }), 'Format of log lines.', {
    default: 'Text',
  }),
  ApplicationLogLevel: optional(
    string({ values: ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] }),
    'Minimum level of log lines from the function; JSON format only.',
    { defaultDescription: logLevelDefault },
  ),
  SystemLogLevel: optional(
    string({ values: ['DEBUG', 'INFO', 'WARN'] }),
    'Minimum level of log lines from the platform; JSON format only.',
    { defaultDescription: logLevelDefault },
  ),
  LogGroup: optional(
    string({ min: 1, max: 512, pattern: logGroupPattern }),
    'Log group of the function.',
    { defaultDescription: '/aws/lambda/FUNCTION_NAME' },
  ),
});

const managedInstances = structure({
  CapacityProviderArn: required(
    string({ min: 1, max: 140, pattern: capacityProviderArnPattern }),
    'ARN of the capacity provider.',
  ),
  PerExecutionEnvironmentMaxConcurrency: optional(
    integer({ min: 1, max: 1600 }),
    'Maximum concurrent invocations per execution environment.',
  ),
  ExecutionEnvironmentMemoryGiBPerVCpu: optional(
    double({ min: 2, max: 8 }),
    'Memory per vCPU, in GiB.',
  ),
});

export const capacityProviderConfig = structure({
  LambdaManagedInstancesCapacityProviderConfig: required(
    managedInstances,
    'Capacity provider of the function and its settings.',
    { aliases: ['VendorManagedInstancesCapacityProviderConfig'] },
  ),
});

export const durableConfig = structure({
  RetentionPeriodInDays: optional(
    integer({ min: 1, max: 90 }),
    'Days for which the history of a completed execution is retained.',
  ),
  ExecutionTimeout: optional(
    integer({ min: 1, max: 31_622_400 }),
    'Timeout of a whole durable execution, in seconds.',
  ),
});

export const tenancyConfig = structure({
  TenantIsolationMode: required(
    string({ values: ['PER_TENANT'] }),
    'PER_TENANT runs each tenant in separate execution environments.',
  ),
});

export const role = string({ min: 0, max: 10_000, pattern: roleArnPattern });

const runtime = string({ known: runtimeNames });

/** The settings that clients list before `RevisionId`, in their order. */
export const settingsBeforeRevision = {
  Role: optional(role, 'ARN of the execution role.'),
  Handler: optional(
    string({ min: 0, max: 128, pattern: handlerPattern }),
    'Method that the runtime calls; required for zip archives.',
  ),
  Description: optional(string({ min: 0, max: 256 }), 'Description.', { default: '' }),
  Timeout: optional(
    integer({ min: 1, max: timeoutSecondsMax }),
    'Timeout of an invocation, in seconds.',
    { default: timeoutSecondsDefault },
  ),
  MemorySize: optional(
    integer({ min: 128, max: memoryMiBMax }),
    'Memory in MB. CPU time increases with memory.',
    { default: memoryMiBDefault },
  ),
  VpcConfig: optional(vpcConfig, 'Network to which the function is connected.'),
  Environment: optional(environment, 'Environment variables.'),
  Runtime: optional(runtime, 'Runtime; required for zip archives, rejected for container images.'),
  DeadLetterConfig: optional(deadLetterConfig, 'Queue or topic for failed asynchronous events.'),
  KMSKeyArn: optional(
    string({ pattern: resourceArnPattern }),
    "ARN of the key that encrypts the environment variables; empty for the service's own key.",
  ),
  TracingConfig: optional(tracingConfig, 'Tracing settings.', { default: {} }),
} as const;

/** The latest settings, which responses show as they are stored. A new one goes to the end. */
export const latestSettings = {
  DurableConfig: optional(durableConfig, 'Durable execution settings.'),
} as const;

/** Those that clients list after `RevisionId`. */
export const settingsAfterRevision = {
  Layers: optional(
    list(string({ min: 1, max: 2048, pattern: layerVersionArnPattern }), { itemsNotNull: true }),
    'ARNs of layer versions, applied in this order.',
  ),
  FileSystemConfigs: optional(list(fileSystemConfig, { max: 1 }), 'File system to mount.', {
    default: [],
  }),
  ImageConfig: optional(imageConfig, 'Settings that override those of the container image.'),
  EphemeralStorage: optional(ephemeralStorage, 'Size of /tmp.', { default: {} }),
  SnapStart: optional(snapStart, 'Snapshot settings for published versions.', { default: {} }),
  LoggingConfig: optional(loggingConfig, 'Log format, levels and log group.', { default: {} }),
  CapacityProviderConfig: optional(capacityProviderConfig, 'Capacity provider of the function.'),
  ...latestSettings,
} as const;

/** All settings. Configurations have every default in them. */
export const functionSettings = structure({
  ...settingsBeforeRevision,
  ...settingsAfterRevision,
});
