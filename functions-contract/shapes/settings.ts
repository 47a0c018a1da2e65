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
    'Subnets that the function is connected to.',
  ),
  SecurityGroupIds: optional(
    list(string({ min: 0, max: 1024, pattern: securityGroupPattern }), { max: 5 }),
    'Security groups that say what it may reach there.',
  ),
  Ipv6AllowedForDualStack: optional(boolean, 'Lets IPv6 out of dual-stack subnets.', {
    fallback: 'false',
  }),
});

export const environment = structure({
  Variables: optional(
    map(string({ pattern: environmentNamePattern, sensitive: true }), string({ sensitive: true }), {
      sensitive: true,
    }),
    'Environment variables of the function. They replace those it has, all of them.',
  ),
});

export const deadLetterConfig = structure({
  TargetArn: optional(
    string({ pattern: resourceArnPattern }),
    'Queue or topic that receives asynchronous events that failed; empty for none.',
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
    'Access point of the file system.',
  ),
  LocalMountPath: required(
    string({ min: 0, max: 160, pattern: mountPathPattern }),
    'Where the function finds it: /mnt/ and a name.',
  ),
});

export const imageConfig = structure({
  EntryPoint: optional(list(text, { max: 1500 }), "Takes the place of the image's entry point."),
  Command: optional(list(text, { max: 1500 }), "Takes the place of the image's command."),
  WorkingDirectory: optional(
    string({ max: 1000 }),
    "Takes the place of the image's working directory.",
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
    'PublishedVersions takes a snapshot of the initialised function when a version is published.',
    { fallback: 'None' },
  ),
});

export const loggingConfig = structure({
  LogFormat: optional(string({ values: ['JSON', 'Text'] }), 'Form of the lines.', {
    fallback: 'Text',
  }),
  ApplicationLogLevel: optional(
    string({ values: ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] }),
    "The least severe of the function's own lines that is kept; with the JSON format only.",
    { fallback: 'INFO' },
  ),
  SystemLogLevel: optional(
    string({ values: ['DEBUG', 'INFO', 'WARN'] }),
    "The least severe of the platform's lines that is kept; with the JSON format only.",
    { fallback: 'INFO' },
  ),
  LogGroup: optional(
    string({ min: 1, max: 512, pattern: logGroupPattern }),
    'Log group that the lines go to.',
    { fallback: '/aws/lambda/ and the name of the function' },
  ),
});

const managedInstances = structure({
  CapacityProviderArn: required(
    string({ min: 1, max: 140, pattern: capacityProviderArnPattern }),
    'Capacity provider that the function runs on.',
  ),
  PerExecutionEnvironmentMaxConcurrency: optional(
    integer({ min: 1, max: 1600 }),
    'Invocations that one execution environment takes at once.',
  ),
  ExecutionEnvironmentMemoryGiBPerVCpu: optional(
    double({ min: 2, max: 8 }),
    'GiB of memory for each processor.',
  ),
});

export const capacityProviderConfig = structure({
  LambdaManagedInstancesCapacityProviderConfig: required(
    managedInstances,
    'The capacity provider and how the function uses it.',
    { aliases: ['VendorManagedInstancesCapacityProviderConfig'] },
  ),
});

export const durableConfig = structure({
  RetentionPeriodInDays: optional(
    integer({ min: 1, max: 90 }),
    'Days that the history of an execution is kept once it is over.',
  ),
  ExecutionTimeout: optional(
    integer({ min: 1, max: 31_622_400 }),
    'Seconds that a whole durable execution may take.',
  ),
});

export const tenancyConfig = structure({
  TenantIsolationMode: required(
    string({ values: ['PER_TENANT'] }),
    'PER_TENANT never lets two tenants share an execution environment.',
  ),
});
