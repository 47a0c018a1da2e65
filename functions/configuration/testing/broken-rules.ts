import type { ErrorCode } from '#functions-contract/error-names.ts';

import { testRegion } from '../../testing/test-functions.ts';

export type Input = Readonly<Record<string, unknown>>;
type Row = readonly [name: string, given: Input, code: ErrorCode, message: string];

const runtimes =
  'nodejs20.x, python3.14, provided.al2023, python3.12, python3.13, nodejs24.x, nodejs22.x, java25, python3.10, python3.11, java21, ruby3.3, ruby3.4, ruby3.2, python3.8, python3.9, java17, nodejs16.x, dotnet10, dotnet8, java11, dotnet6, nodejs18.x, provided.al2, java8.al2';
const layer = `arn:aws:lambda:${testRegion}:123456789012:layer`;
const queue = `arn:aws:sqs:${testRegion}:123456789012:lost`;
const capacity = `arn:aws:lambda:${testRegion}:123456789012:capacity-provider:large`;
const key = `arn:aws:kms:${testRegion}:123456789012:key/00000000-0000-4000-8000-000000000000`;
const accessPoint = `arn:aws:elasticfilesystem:${testRegion}:123456789012:access-point/fsap-0123456789abcdef0`;

/** What fits the contract and breaks a rule. */
export const brokenRules: readonly Row[] = [
  [
    'an unknown runtime',
    { Runtime: 'non-existent-runtime' },
    'InvalidParameterValueException',
    `Value non-existent-runtime at 'runtime' failed to satisfy constraint: Member must satisfy enum value set: [${runtimes}] or be a valid ARN`,
  ],
  [
    'a runtime in the wrong case',
    { Runtime: 'PYTHON3.9' },
    'InvalidParameterValueException',
    `Value PYTHON3.9 at 'runtime' failed to satisfy constraint: Member must satisfy enum value set: [${runtimes}] or be a valid ARN`,
  ],
  ...[
    'java8',
    'go1.x',
    'provided',
    'ruby2.7',
    'nodejs14.x',
    'python3.7',
    'dotnetcore3.1',
    'nodejs12.x',
  ].map((name): Row => [
    `the deprecated runtime ${name}`,
    { Runtime: name },
    'InvalidParameterValueException',
    `The runtime parameter of ${name} is no longer supported for creating or updating AWS Lambda functions. We recommend you use a supported runtime while creating or updating functions.`,
  ]),
  [
    'a role of another account',
    { Role: 'arn:aws:iam::999999999999:role/worker' },
    'AccessDeniedException',
    'Cross-account pass role is not allowed.',
  ],
  [
    'variables over 4 KB',
    { Environment: { Variables: { LARGE_VAR: 'x'.repeat(4081) } } },
    'InvalidParameterValueException',
    `Lambda was unable to configure your environment variables because the environment variables you have provided exceeded the 4KB limit. String measured: {"LARGE_VAR":"${'x'.repeat(4081)}"}`,
  ],
  [
    'reserved variables',
    { Environment: { Variables: { AWS_REGION: 'a', MINE: 'b', LAMBDA_TASK_ROOT: 'c' } } },
    'InvalidParameterValueException',
    'Lambda was unable to configure your environment variables because the environment variables you have provided contains reserved keys that are currently not supported for modification. Reserved keys used in this request: AWS_REGION, LAMBDA_TASK_ROOT',
  ],
  [
    'an unknown subnet',
    { VpcConfig: { SubnetIds: ['subnet-x'], SecurityGroupIds: ['sg-1'] } },
    'InvalidParameterValueException',
    "Error occurred while DescribeSubnets. EC2 Error Code: InvalidSubnetID.NotFound. EC2 Error Message: The subnet ID 'subnet-x' does not exist. To declare it, run: hob admin add-resource subnet subnet-x --file FILE",
  ],
  [
    'an unknown security group',
    { VpcConfig: { SubnetIds: ['subnet-1'], SecurityGroupIds: ['sg-x'] } },
    'InvalidParameterValueException',
    "Error occurred while DescribeSecurityGroups. EC2 Error Code: InvalidGroup.NotFound. EC2 Error Message: The security group 'sg-x' does not exist. To declare it, run: hob admin add-resource security-group sg-x --file FILE",
  ],
  [
    'a queue that the function cannot send to',
    { DeadLetterConfig: { TargetArn: `${queue}-forever` } },
    'InvalidParameterValueException',
    `The provided execution role does not have permissions to call SendMessage on SQS. To declare it, run: hob admin add-resource target ${queue}-forever --file FILE`,
  ],
  [
    'a file system without a network',
    { FileSystemConfigs: [{ Arn: accessPoint, LocalMountPath: '/mnt/data' }] },
    'InvalidParameterValueException',
    `Function must be configured to execute in a VPC to reference access point ${accessPoint}. Please update the function configuration to include VPC subnets and security groups.`,
  ],
  ...['/mnt/.', '/mnt/..'].map((path): Row => [
    `the mount path ${path}`,
    { FileSystemConfigs: [{ Arn: accessPoint, LocalMountPath: path }] },
    'InvalidParameterValueException',
    `The local mount path ${path} is not a directory below /mnt.`,
  ]),
  [
    'six layers',
    { Layers: [1, 2, 3, 4, 5, 6].map((number) => `${layer}:l${number}:1`) },
    'InvalidParameterValueException',
    'Cannot reference more than 5 layers.',
  ],
  ...(
    [
      ['two versions of one layer', [1, 2]],
      ['three versions of one layer', [1, 2, 3]],
      ['one layer twice', [1, 1]],
    ] as const
  ).map(([name, numbers]): Row => [
    name,
    { Layers: numbers.map((number) => `${layer}:tools:${number}`) },
    'InvalidParameterValueException',
    `Two different versions of the same layer are not allowed to be referenced in the same function. ${layer}:tools:1 and ${layer}:tools:${numbers[1]} are versions of the same layer.`,
  ]),
  [
    'a layer that does not exist',
    { Layers: [`${layer}:doesnotexist:1`] },
    'InvalidParameterValueException',
    `Layer version ${layer}:doesnotexist:1 does not exist.`,
  ],
  [
    'a layer of another region',
    { Layers: ['arn:aws:lambda:eu-west-3:123456789012:layer:tools:1'] },
    'InvalidParameterValueException',
    `Layers are not in the same region as the function. Layers are expected to be in region ${testRegion}.`,
  ],
  [
    'a layer of another account',
    { Layers: [`${layer.replace('123456789012', '999999999999')}:tools:1`] },
    'AccessDeniedException',
    `User: anonymous is not authorized to perform: lambda:GetLayerVersion on resource: ${layer.replace('123456789012', '999999999999')}:tools:1 because no resource-based policy allows the lambda:GetLayerVersion action`,
  ],
  [
    'a key that is not there',
    { KMSKeyArn: key },
    'InvalidParameterValueException',
    `Lambda was unable to configure access to your environment variables because the KMS key is invalid for CreateGrant. Please check your KMS key settings. KMS Exception: NotFoundException KMS Message: Key '${key}' does not exist`,
  ],
  [
    'a snapshot of a runtime that has none',
    { Runtime: 'nodejs18.x', SnapStart: { ApplyOn: 'PublishedVersions' } },
    'InvalidParameterValueException',
    'nodejs18.x is not supported for SnapStart enabled functions.',
  ],
  [
    'a log level with the text format',
    { LoggingConfig: { LogFormat: 'Text', ApplicationLogLevel: 'DEBUG' } },
    'InvalidParameterValueException',
    'LogLevel is not supported when LogFormat is set to "Text". Remove LogLevel from your request or change the LogFormat to "JSON" and try again.',
  ],
  [
    'a capacity provider for an ordinary function',
    {
      CapacityProviderConfig: {
        LambdaManagedInstancesCapacityProviderConfig: { CapacityProviderArn: capacity },
      },
    },
    'InvalidParameterValueException',
    "CapacityProviderConfig isn't supported for Lambda Default functions.",
  ],
  [
    'durability without a timeout',
    { DurableConfig: { RetentionPeriodInDays: 7 } },
    'InvalidParameterValueException',
    'You cannot create a function with a durable configuration without an executionTimeout',
  ],
  [
    'overrides of an image for an archive',
    { ImageConfig: { Command: ['run'] } },
    'InvalidParameterValueException',
    "Please don't provide ImageConfig when updating a function with packageType Zip.",
  ],
];
