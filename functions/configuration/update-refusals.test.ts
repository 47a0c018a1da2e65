import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { ErrorCode } from '#functions-contract/error-names.ts';

import { assertRefused, violations } from '../testing/assert-refused.ts';
import {
  arnOf,
  createTestFunctions,
  testRegion,
  testRole,
  testZip,
  type TestFunctions,
} from '../testing/test-functions.ts';

type Given = Readonly<Record<string, unknown>>;
type Row = readonly [name: string, given: Given, code: ErrorCode, message: string];

const runtimes =
  'nodejs20.x, python3.14, provided.al2023, python3.12, python3.13, nodejs24.x, nodejs22.x, java25, python3.10, python3.11, java21, ruby3.3, ruby3.4, ruby3.2, python3.8, python3.9, java17, nodejs16.x, dotnet10, dotnet8, java11, dotnet6, nodejs18.x, provided.al2, java8.al2';
const layer = `arn:aws:lambda:${testRegion}:123456789012:layer`;
const queue = `arn:aws:sqs:${testRegion}:123456789012:lost`;
const capacity = `arn:aws:lambda:${testRegion}:123456789012:capacity-provider:large`;
const key = `arn:aws:kms:${testRegion}:123456789012:key/00000000-0000-4000-8000-000000000000`;
const accessPoint = `arn:aws:elasticfilesystem:${testRegion}:123456789012:access-point/fsap-0123456789abcdef0`;

/** What does not fit the contract, in the words of the service. */
const ofConstraints: readonly (readonly [name: string, given: Given, violation: string])[] = [
  [
    'a role that is no ARN',
    { Role: 'r1' },
    String.raw`Value 'r1' at 'role' failed to satisfy constraint: Member must satisfy regular expression pattern: arn:(aws[a-zA-Z-]*)?:iam::\d{12}:role/?[a-zA-Z_0-9+=,.@\-_/]+`,
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

/** What fits the contract and breaks a rule. */
const ofRules: readonly Row[] = [
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
    "Error occurred while DescribeSubnets. EC2 Error Code: InvalidSubnetID.NotFound. EC2 Error Message: The subnet ID 'subnet-x' does not exist",
  ],
  [
    'an unknown security group',
    { VpcConfig: { SubnetIds: ['subnet-1'], SecurityGroupIds: ['sg-x'] } },
    'InvalidParameterValueException',
    "Error occurred while DescribeSecurityGroups. EC2 Error Code: InvalidGroup.NotFound. EC2 Error Message: The security group 'sg-x' does not exist",
  ],
  [
    'a queue that the function cannot send to',
    { DeadLetterConfig: { TargetArn: `${queue}-forever` } },
    'InvalidParameterValueException',
    'The provided execution role does not have permissions to call SendMessage on SQS',
  ],
  [
    'a file system without a network',
    { FileSystemConfigs: [{ Arn: accessPoint, LocalMountPath: '/mnt/data' }] },
    'InvalidParameterValueException',
    `Function must be configured to execute in a VPC to reference access point ${accessPoint}. Please update the function configuration to include VPC subnets and security groups.`,
  ],
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

describe('an update that is refused', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions({
      declared: {
        subnets: new Map([['subnet-1', { vpcId: 'vpc-1', reaches: [] }]]),
        securityGroups: new Map([['sg-1', { vpcId: 'vpc-1', ports: undefined }]]),
      },
    });
    await functions.create('fn');
  });
  after(() => functions.close());

  const update = (given: Given) =>
    functions.call('UpdateFunctionConfiguration', { FunctionName: 'fn', ...given });

  for (const [name, given, violation] of ofConstraints) {
    it(`tells of ${name}`, async () => {
      assertRefused(await update(given), 'ValidationException', violations(violation));
    });
  }

  for (const [name, given, code, message] of ofRules) {
    it(`tells of ${name}`, async () => {
      assertRefused(await update(given), code, message);
    });
  }

  it('tells of every violation at once', async () => {
    const answer = await update({ Timeout: 0, MemorySize: 1 });
    const told = String(answer.body.message);
    assert.match(told, /^2 validation errors detected: Value '0' at .+; Value '1' at .+$/);
  });

  it('stores nothing', async () => {
    const earlier = await functions.call('GetFunctionConfiguration', { FunctionName: 'fn' });
    for (const [, given] of ofRules) await update({ Description: 'changed', ...given });
    const now = await functions.call('GetFunctionConfiguration', { FunctionName: 'fn' });
    assert.deepEqual(now.body, earlier.body);
  });

  it('tells of a wrong type before any constraint', async () => {
    const wrong: readonly (readonly [Given, string])[] = [
      [{ Timeout: '5', MemorySize: 1 }, 'STRING_VALUE can not be converted to an Integer'],
      [{ Description: 5 }, 'NUMBER_VALUE can not be converted to a String'],
      [{ Timeout: 1.5 }, 'DECIMAL_VALUE can not be converted to an Integer'],
      [{ Layers: 'one' }, 'Expected list or null'],
    ];
    for (const [given, message] of wrong) {
      assertRefused(await update(given), 'SerializationException', message);
    }
  });

  it('tells of a body that is no JSON without quoting it', async () => {
    const answer = await functions.send({
      method: 'PUT',
      target: '/2015-03-31/functions/fn/configuration',
      body: '{"Environment":{"Variables":{"PASSWORD":"hunter2" oops',
    });
    assertRefused(
      answer,
      'InvalidRequestContentException',
      /^Could not parse request body into json: /,
    );
    assert.ok(!answer.text.includes('hunter2'));
  });

  it('tells of a request over 5120 bytes', async () => {
    assertRefused(
      await update({ Description: 'd'.repeat(5200) }),
      'RequestEntityTooLargeException',
      'Request must be smaller than 5120 bytes for the UpdateFunctionConfiguration operation',
    );
  });

  it('tells of a function that is not there', async () => {
    assertRefused(
      await update({ FunctionName: 'missing' }),
      'ResourceNotFoundException',
      `Function not found: ${arnOf('missing')}`,
    );
  });

  it('tells of another revision, before it looks at the settings', async () => {
    assertRefused(
      await update({ RevisionId: 'wrong', Runtime: 'java8' }),
      'PreconditionFailedException',
      'The Revision Id provided does not match the latest Revision Id. Call the GetFunction/GetAlias API to retrieve the latest Revision Id',
    );
  });

  it('tells of versions and aliases', async () => {
    assertRefused(
      await update({ FunctionName: 'fn:1' }),
      'InvalidParameterValueException',
      'This operation is permitted on Lambda functions only. Aliases and versions do not support this operation. Please specify either a function name or an unqualified function ARN.',
    );
  });

  it('tells of an update under way, and of a function in the making', async () => {
    const letGo = functions.environments.holdStarts();
    assert.equal((await update({ Description: 'first' })).body.LastUpdateStatus, 'InProgress');
    assertRefused(
      await update({ Description: 'second' }),
      'ResourceConflictException',
      `The operation cannot be performed at this time. An update is in progress for resource: ${arnOf('fn')}`,
    );
    assertRefused(
      await functions.call('UpdateFunctionCode', { FunctionName: 'fn', ZipFile: testZip }),
      'ResourceConflictException',
      `The operation cannot be performed at this time. An update is in progress for resource: ${arnOf('fn')}`,
    );
    await functions.call('CreateFunction', {
      FunctionName: 'young',
      Role: testRole,
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Code: { ZipFile: testZip },
    });
    assertRefused(
      await update({ FunctionName: 'young' }),
      'ResourceConflictException',
      'The operation cannot be performed at this time. The function is currently in the following state: Pending',
    );
    letGo();
    await functions.settled();
    assert.equal((await update({ Description: 'third' })).status, 200);
    await functions.settled();
  });
});

describe('a creation that is refused', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
  });
  after(() => functions.close());

  const create = (given: Given) =>
    functions.call('CreateFunction', {
      FunctionName: 'fn',
      Role: testRole,
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Code: { ZipFile: testZip },
      ...given,
    });

  const rows: readonly Row[] = [
    [
      'no runtime',
      { Runtime: undefined },
      'InvalidParameterValueException',
      'Runtime and Handler are mandatory parameters for functions created with deployment packages.',
    ],
    [
      'no code',
      { Code: {} },
      'InvalidParameterValueException',
      'Please provide a source for function code.',
    ],
    [
      'code that is no archive',
      { Code: { ZipFile: Buffer.from('no archive') } },
      'InvalidParameterValueException',
      'Could not unzip uploaded file. Please check your file, then try to upload again.',
    ],
    [
      'two architectures',
      { Architectures: ['x86_64', 'arm64'] },
      'ValidationException',
      violations(
        "Value '[x86_64, arm64]' at 'architectures' failed to satisfy constraint: Member must have length less than or equal to 1",
      ),
    ],
    [
      'an architecture in the wrong case',
      { Architectures: ['X86_64'] },
      'ValidationException',
      violations(
        "Value '[X86_64]' at 'architectures' failed to satisfy constraint: Member must satisfy constraint: [Member must satisfy enum value set: [x86_64, arm64], Member must not be null]",
      ),
    ],
    [
      'a snapshot setting that is none',
      { SnapStart: { ApplyOn: 'invalidOption' } },
      'ValidationException',
      violations(
        "Value 'invalidOption' at 'snapStart.applyOn' failed to satisfy constraint: Member must satisfy enum value set: [PublishedVersions, None]",
      ),
    ],
    [
      'a bucket that is not there',
      { Code: { S3Bucket: 'missing', S3Key: 'k' } },
      'InvalidParameterValueException',
      'Error occurred while GetObject. S3 Error Code: NoSuchBucket. S3 Error Message: The specified bucket does not exist',
    ],
  ];

  for (const [name, given, code, message] of rows) {
    it(`tells of ${name}`, async () => {
      assertRefused(await create(given), code, message);
    });
  }

  it('tells of an archive over 50 MiB', async () => {
    const answer = await create({ Code: { ZipFile: Buffer.alloc(52_428_801) } });
    assertRefused(
      answer,
      'RequestEntityTooLargeException',
      'Zipped size must be smaller than 52428800 bytes',
    );
  });

  it('tells of a request over 70167211 bytes before it reads it', async () => {
    const answer = await functions.send({
      method: 'POST',
      target: '/2015-03-31/functions',
      headers: { 'content-length': '70167212' },
      body: '{}',
    });
    assertRefused(
      answer,
      'RequestEntityTooLargeException',
      'Request must be smaller than 70167211 bytes for the CreateFunction operation',
    );
  });

  it('tells of a name that is taken', async () => {
    assert.equal((await create({ FunctionName: 'taken' })).status, 201);
    assertRefused(
      await create({ FunctionName: 'taken' }),
      'ResourceConflictException',
      'Function already exist: taken',
      'without-type',
    );
    await functions.settled();
  });
});
