import { textPattern } from '#functions-contract/patterns.ts';

import { testRegion } from '../../testing/test-functions.ts';
import type { Input } from './broken-rules.ts';

const layer = `arn:aws:lambda:${testRegion}:123456789012:layer`;
const accessPoint = `arn:aws:elasticfilesystem:${testRegion}:123456789012:access-point/fsap-0123456789abcdef0`;
const instances = 'capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig';
const onInstances = (given: Input): Input => ({
  CapacityProviderConfig: {
    LambdaManagedInstancesCapacityProviderConfig: {
      CapacityProviderArn: `arn:aws:lambda:${testRegion}:123456789012:capacity-provider:large`,
      ...given,
    },
  },
});
const times = (count: number, word: string): string[] => Array.from({ length: count }, () => word);

const onlyText = `Member must satisfy regular expression pattern: ${textPattern}`;

/** What does not fit the contract, with the message of the service. */
export const brokenConstraints: readonly (readonly [
  name: string,
  given: Input,
  violation: string,
])[] = [
  [
    'a role that is no ARN',
    { Role: 'r1' },
    String.raw`Value 'r1' at 'role' failed to satisfy constraint: Member must satisfy regular expression pattern: arn:(aws[a-zA-Z-]*)?:iam::\d{12}:role/?[a-zA-Z_0-9+=,.@\-_/]+`,
  ],
  [
    'null for a subnet',
    { VpcConfig: { SubnetIds: ['subnet-1', null], SecurityGroupIds: ['sg-1'] } },
    "Value '[subnet-1, null]' at 'vpcConfig.subnetIds' failed to satisfy constraint: Member must satisfy constraint: [Member must have length less than or equal to 1024, Member must have length greater than or equal to 0, Member must satisfy regular expression pattern: subnet-[0-9a-z]*, Member must not be null]",
  ],
  [
    'null for a part of a command',
    { ImageConfig: { Command: [null] } },
    "Value '[null]' at 'imageConfig.command' failed to satisfy constraint: Member must satisfy constraint: [Member must not be null]",
  ],
  [
    'null for a file system',
    { FileSystemConfigs: [null] },
    "Value null at 'fileSystemConfigs.1.member' failed to satisfy constraint: Member must not be null",
  ],
  [
    'null for a variable',
    { Environment: { Variables: { NAME: null } } },
    "Value at 'environment.variables' failed to satisfy constraint: Map value must satisfy constraint: [Member must not be null]",
  ],
  [
    'an empty handler',
    { Handler: '' },
    String.raw`Value '' at 'handler' failed to satisfy constraint: Member must satisfy regular expression pattern: [^\s]+`,
  ],
  [
    'a timeout over 900',
    { Timeout: 1200 },
    "Value '1200' at 'timeout' failed to satisfy constraint: Member must have value less than or equal to 900",
  ],
  [
    'a timeout under 1',
    { Timeout: 0 },
    "Value '0' at 'timeout' failed to satisfy constraint: Member must have value greater than or equal to 1",
  ],
  [
    'too little memory',
    { MemorySize: 127 },
    "Value '127' at 'memorySize' failed to satisfy constraint: Member must have value greater than or equal to 128",
  ],
  [
    'too much memory',
    { MemorySize: 32_769 },
    "Value '32769' at 'memorySize' failed to satisfy constraint: Member must have value less than or equal to 32768",
  ],
  [
    'a description over 256',
    { Description: 'd'.repeat(257) },
    `Value '${'d'.repeat(257)}' at 'description' failed to satisfy constraint: Member must have length less than or equal to 256`,
  ],
  [
    'too large a /tmp',
    { EphemeralStorage: { Size: 3_000_000 } },
    "Value '3000000' at 'ephemeralStorage.size' failed to satisfy constraint: Member must have value less than or equal to 10240",
  ],
  [
    'a /tmp without a size',
    { EphemeralStorage: {} },
    "Value null at 'ephemeralStorage.size' failed to satisfy constraint: Member must not be null",
  ],
  [
    'a variable of one letter',
    { Environment: { Variables: { A: 'secret' } } },
    "Value at 'environment.variables' failed to satisfy constraint: Map keys must satisfy constraint: [Member must satisfy regular expression pattern: [a-zA-Z]([a-zA-Z0-9_])+]",
  ],
  [
    'a variable with U+0000',
    { Environment: { Variables: { KEY: 'a\0--share-net' } } },
    `Value at 'environment.variables' failed to satisfy constraint: Map value must satisfy constraint: [${onlyText}, Member must not be null]`,
  ],
  [
    'a handler with U+0000',
    { Handler: 'index\0.handler' },
    `Value 'index\0.handler' at 'handler' failed to satisfy constraint: ${onlyText}`,
  ],
  [
    'a handler with half a character',
    { Handler: 'index.\ud800' },
    `Value 'index.\ud800' at 'handler' failed to satisfy constraint: ${onlyText}`,
  ],
  [
    'an argument of an image with U+0000',
    { ImageConfig: { Command: ['run', 'a\0b'] } },
    `Value '[run, a\0b]' at 'imageConfig.command' failed to satisfy constraint: Member must satisfy constraint: [${onlyText}]`,
  ],
  [
    'a working directory with U+0000',
    { ImageConfig: { WorkingDirectory: '/a\0b' } },
    `Value '/a\0b' at 'imageConfig.workingDirectory' failed to satisfy constraint: ${onlyText}`,
  ],
  [
    'a subnet of no form',
    { VpcConfig: { SubnetIds: ['bad'] } },
    "Value '[bad]' at 'vpcConfig.subnetIds' failed to satisfy constraint: Member must satisfy constraint: [Member must have length less than or equal to 1024, Member must have length greater than or equal to 0, Member must satisfy regular expression pattern: subnet-[0-9a-z]*]",
  ],
  [
    'a security group of no form',
    { VpcConfig: { SecurityGroupIds: ['bad'] } },
    "Value '[bad]' at 'vpcConfig.securityGroupIds' failed to satisfy constraint: Member must satisfy constraint: [Member must have length less than or equal to 1024, Member must have length greater than or equal to 0, Member must satisfy regular expression pattern: sg-[0-9a-zA-Z]*]",
  ],
  [
    'more than 16 subnets',
    { VpcConfig: { SubnetIds: times(17, 'subnet-1') } },
    `Value '[${times(17, 'subnet-1').join(', ')}]' at 'vpcConfig.subnetIds' failed to satisfy constraint: Member must have length less than or equal to 16`,
  ],
  [
    'more than 5 security groups',
    { VpcConfig: { SecurityGroupIds: times(6, 'sg-1') } },
    `Value '[${times(6, 'sg-1').join(', ')}]' at 'vpcConfig.securityGroupIds' failed to satisfy constraint: Member must have length less than or equal to 5`,
  ],
  [
    'a mount path outside of /mnt',
    { FileSystemConfigs: [{ Arn: accessPoint, LocalMountPath: '/data' }] },
    String.raw`Value '/data' at 'fileSystemConfigs.1.member.localMountPath' failed to satisfy constraint: Member must satisfy regular expression pattern: /mnt/[a-zA-Z0-9-_.]+`,
  ],
  [
    'a working directory over 1000',
    { ImageConfig: { WorkingDirectory: 'd'.repeat(1001) } },
    `Value '${'d'.repeat(1001)}' at 'imageConfig.workingDirectory' failed to satisfy constraint: Member must have length less than or equal to 1000`,
  ],
  [
    'a log group of no form',
    { LoggingConfig: { LogGroup: 'a b' } },
    String.raw`Value 'a b' at 'loggingConfig.logGroup' failed to satisfy constraint: Member must satisfy regular expression pattern: [\.\-_/#A-Za-z0-9]+`,
  ],
  [
    'a handler over 128',
    { Handler: 'h'.repeat(129) },
    `Value '${'h'.repeat(129)}' at 'handler' failed to satisfy constraint: Member must have length less than or equal to 128`,
  ],
  [
    'a retention over 90 days',
    { DurableConfig: { RetentionPeriodInDays: 91 } },
    "Value '91' at 'durableConfig.retentionPeriodInDays' failed to satisfy constraint: Member must have value less than or equal to 90",
  ],
  [
    'a durable execution over 366 days',
    { DurableConfig: { ExecutionTimeout: 31_622_401 } },
    "Value '31622401' at 'durableConfig.executionTimeout' failed to satisfy constraint: Member must have value less than or equal to 31622400",
  ],
  [
    'more than 1600 invocations at once on an instance',
    onInstances({ PerExecutionEnvironmentMaxConcurrency: 1601 }),
    `Value '1601' at '${instances}.perExecutionEnvironmentMaxConcurrency' failed to satisfy constraint: Member must have value less than or equal to 1600`,
  ],
  [
    'less than 2 GiB for a processor of an instance',
    onInstances({ ExecutionEnvironmentMemoryGiBPerVCpu: 1.5 }),
    `Value '1.5' at '${instances}.executionEnvironmentMemoryGiBPerVCpu' failed to satisfy constraint: Member must have value greater than or equal to 2.0`,
  ],
  [
    'a dead letter target of no form',
    { DeadLetterConfig: { TargetArn: 'queue' } },
    "Value 'queue' at 'deadLetterConfig.targetArn' failed to satisfy constraint: Member must satisfy regular expression pattern: (arn:(aws[a-zA-Z-]*)?:[a-z0-9-.]+:.*)|()",
  ],
  [
    'a layer without a version',
    { Layers: [`${layer}:tools`] },
    String.raw`Value '[${layer}:tools]' at 'layers' failed to satisfy constraint: Member must satisfy constraint: [Member must have length less than or equal to 2048, Member must have length greater than or equal to 1, Member must satisfy regular expression pattern: (arn:(aws[a-zA-Z-]*)?:lambda:(eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1}:\d{12}:layer:[a-zA-Z0-9-_]+:[0-9]+)|(arn:[a-zA-Z0-9-]+:lambda:::awslayer:[a-zA-Z0-9-_]+), Member must not be null]`,
  ],
  [
    'a snapshot setting that is none',
    { SnapStart: { ApplyOn: 'invalidOption' } },
    "Value 'invalidOption' at 'snapStart.applyOn' failed to satisfy constraint: Member must satisfy enum value set: [PublishedVersions, None]",
  ],
  [
    'a log level that is none',
    { LoggingConfig: { SystemLogLevel: 'TRACE' } },
    "Value 'TRACE' at 'loggingConfig.systemLogLevel' failed to satisfy constraint: Member must satisfy enum value set: [DEBUG, INFO, WARN]",
  ],
  [
    'a capacity provider structure with nothing in it',
    { CapacityProviderConfig: {} },
    "Value null at 'capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig' failed to satisfy constraint: Member must not be null",
  ],
  [
    'a capacity provider without an ARN',
    { CapacityProviderConfig: { LambdaManagedInstancesCapacityProviderConfig: {} } },
    "Value null at 'capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.capacityProviderArn' failed to satisfy constraint: Member must not be null",
  ],
];
