/** The structures that a function's configuration is made of; the same in requests and in the record. */
import { ephemeralStorageMiBDefault } from '../limits.ts';
import {
  capacityProviderArnPattern,
  environmentNamePattern,
  fileSystemArnPattern,
  logGroupPattern,
  mountPathPattern,
  resourceArnPattern,
  securityGroupPattern,
  subnetPattern,
} from '../patterns.ts';
import {
  boolean,
  double,
  integer,
  list,
  map,
  optional,
  required,
  string,
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
    {
      fallback: 'false',
    },
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
    { fallback: 'PassThrough' },
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
    fallback: String(ephemeralStorageMiBDefault),
  }),
});

export const snapStart = structure({
  ApplyOn: optional(
    string({ values: ['PublishedVersions', 'None'] }),
    'PublishedVersions takes a snapshot of the initialized function when a version is published.',
    { fallback: 'None' },
  ),
});

export const loggingConfig = structure({
  LogFormat: optional(string({ values: ['JSON', 'Text'] }), 'Format of log lines.', {
    fallback: 'Text',
  }),
  ApplicationLogLevel: optional(
    string({ values: ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] }),
    'Minimum level of log lines from the function; JSON format only.',
    { fallback: 'INFO' },
  ),
  SystemLogLevel: optional(
    string({ values: ['DEBUG', 'INFO', 'WARN'] }),
    'Minimum level of log lines from the platform; JSON format only.',
    { fallback: 'INFO' },
  ),
  LogGroup: optional(
    string({ min: 1, max: 512, pattern: logGroupPattern }),
    'Log group of the function.',
    { fallback: '/aws/lambda/FUNCTION_NAME' },
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
