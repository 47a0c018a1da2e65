import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import * as sdk from '@aws-sdk/client-lambda';

import type { Operation } from '#functions-contract/operation.ts';
import type { Shape } from '#functions-contract/shape.ts';

import { writeImageLayout } from '../code/testing/image-layout-of.ts';
import { zipOf } from '../code/testing/zip-of.ts';
import type { EventTarget } from '../configured-resources/configured-resources.ts';
import { operationHandlers } from '../routes.ts';
import {
  arnOf,
  createTestFunctions,
  testRole,
  testZip,
  type TestResponse,
  type TestFunctions,
} from '../testing/test-functions.ts';
import { leavesOf } from '../testing/shape-leaves.ts';
import { unsupportedMembers } from './read-input.ts';

type Input = Readonly<Record<string, unknown>>;

type Prepare = (functions: TestFunctions, name: string) => Promise<unknown>;
type Look = (functions: TestFunctions, name: string) => Promise<unknown>;

/** How a test sees that a member has an effect: what is observed with it differs from what is observed without it. */
interface Probe {
  /** Input without the member that is looked at; of a resource that no other probe uses. */
  readonly base: Input;
  /** A value for each member whose effect no general value shows. */
  readonly values?: Input;
  /** What the resource must have before. */
  readonly prepare?: Prepare;
  /** What reports more than the answer. */
  readonly look?: Look;
}

const resource = '{resource}';
const site = 'us-east-1:123456789012';
const queue = (name: string): string => `arn:aws:sqs:${site}:${name}`;
const layerArn = (name: string): string => `arn:aws:lambda:${site}:layer:${name}`;
const accessPoint = `arn:aws:elasticfilesystem:${site}:access-point/fsap-0123456789abcdef0`;
const provider = (name: string): string => `arn:aws:lambda:${site}:capacity-provider:${name}`;
const publisher = `arn:aws:signer:${site}:/signing-profiles/build/abcdefghij`;
const missingConfig = `arn:aws:lambda:${site}:code-signing-config:csc-0123456789abcdef0`;
const otherZip = zipOf({ 'index.mjs': 'export const handler = async () => 1' });
const vpc = { SubnetIds: ['subnet-1'], SecurityGroupIds: ['sg-1'] };
const managed = (name: string, more: Input = {}): Input => ({
  LambdaManagedInstancesCapacityProviderConfig: { CapacityProviderArn: provider(name), ...more },
});

/** Values that show the effect of a member wherever it has one: they name nothing, or are refused. */
const general: Input = {
  FunctionName: 'missing',
  Qualifier: '77',
  Name: 'unknown',
  LayerName: 'missing',
  VersionNumber: 77,
  StatementId: 'unknown',
  Marker: 'not a marker',
  MaxItems: 1,
  RevisionId: '00000000-0000-4000-8000-000000000000',
  CodeSigningConfigArn: missingConfig,
  CapacityProviderName: 'missing',
  Resource: arnOf('missing'),
  Arn: `${layerArn('missing')}:1`,
  PublishTo: 'LATEST_PUBLISHED',
  SourceKMSKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/a',
};

/** Settings that a function can be created with and changed to, where a sample of their shape shows no effect or there is none. */
const settings: Input = {
  Role: `${testRole}-other`,
  Handler: 'other.handler',
  Description: 'other',
  'VpcConfig.SubnetIds': ['subnet-2'],
  'VpcConfig.SecurityGroupIds': ['sg-2'],
  'VpcConfig.Ipv6AllowedForDualStack': true,
  'Environment.Variables': { NAME: 'value' },
  Runtime: 'python3.13',
  'DeadLetterConfig.TargetArn': queue('one'),
  KMSKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/missing',
  Layers: [`${layerArn('shared')}:1`],
  'FileSystemConfigs.Arn': accessPoint.replace('0123', '3210'),
  'FileSystemConfigs.LocalMountPath': '/mnt/other',
  'ImageConfig.EntryPoint': ['sh'],
  'ImageConfig.Command': ['sh'],
  'ImageConfig.WorkingDirectory': '/srv',
  'SnapStart.ApplyOn': 'PublishedVersions',
  'LoggingConfig.LogFormat': 'Text',
  'LoggingConfig.ApplicationLogLevel': 'DEBUG',
  'LoggingConfig.SystemLogLevel': 'WARN',
  'LoggingConfig.LogGroup': '/other',
  'DurableConfig.ExecutionTimeout': 30,
};
const onProvider = 'CapacityProviderConfig.LambdaManagedInstancesCapacityProviderConfig';
const providerSettings: Input = {
  [`${onProvider}.CapacityProviderArn`]: provider('other'),
  [`${onProvider}.PerExecutionEnvironmentMaxConcurrency`]: 7,
  [`${onProvider}.ExecutionEnvironmentMemoryGiBPerVCpu`]: 4,
};
const someSettings: Input = {
  VpcConfig: vpc,
  FileSystemConfigs: [{ Arn: accessPoint, LocalMountPath: '/mnt/data' }],
  LoggingConfig: { LogFormat: 'JSON' },
  DurableConfig: { ExecutionTimeout: 20 },
};
const newFunction: Input = {
  FunctionName: resource,
  Role: testRole,
  Runtime: 'nodejs24.x',
  Handler: 'index.handler',
  Code: { ZipFile: testZip },
};

const withVersion: Prepare = async (functions, name) => {
  await functions.create(name, { Publish: true });
  const alias = { FunctionName: name, Name: 'live', FunctionVersion: '1' };
  await functions.call('CreateAlias', alias);
};
const withVersions: Prepare = async (functions, name) => {
  const FunctionName = name;
  await withVersion(functions, name);
  await functions.call('UpdateFunctionConfiguration', { FunctionName, Description: 'second' });
  await functions.untilProvisioned();
  await functions.call('PublishVersion', { FunctionName });
  await functions.call('CreateAlias', { FunctionName, Name: 'next', FunctionVersion: '2' });
};
const withAlso =
  (...calls: readonly (readonly [operation: string, input: Input])[]): Prepare =>
  async (functions, name) => {
    await withVersion(functions, name);
    for (const [operation, input] of calls) {
      const answer = await functions.call(operation, { FunctionName: name, ...input });
      assert.ok(answer.status < 300, `${operation}: ${answer.text}`);
    }
  };
const looking =
  (operation: string, input: Input = { FunctionName: resource }): Look =>
  async (functions, name) =>
    shown(await functions.call(operation, filled(input, name)));

const named: Input = { FunctionName: resource };
const live: Input = { ...named, Qualifier: 'live' };
const statement: Input = {
  StatementId: 'one',
  Action: 'lambda:InvokeFunction',
  Principal: 's3.amazonaws.com',
};
const urlStatement: Input = {
  StatementId: 'one',
  Action: 'lambda:InvokeFunctionUrl',
  Principal: '*',
};
const layer: Input = { LayerName: 'shared', VersionNumber: 1 };
const layerContent = { ZipFile: testZip };
const inBucket = { S3Bucket: 'bucket', S3Key: 'one.zip' };
const cors: Input = {
  'Cors.AllowCredentials': true,
  'Cors.AllowHeaders': ['x-other'],
  'Cors.AllowMethods': ['GET'],
  'Cors.AllowOrigins': ['https://other.test'],
  'Cors.ExposeHeaders': ['x-other'],
  'Cors.MaxAge': 9,
};
const someHandling: Input = { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 };
const handling: Input = {
  MaximumRetryAttempts: 1,
  MaximumEventAgeInSeconds: 120,
  'DestinationConfig.OnSuccess.Destination': queue('one'),
  'DestinationConfig.OnFailure.Destination': queue('one'),
};
const mappingSettings: Input = {
  Enabled: false,
  BatchSize: 5,
  MaximumBatchingWindowInSeconds: 2,
  'FilterCriteria.Filters.Pattern': '{"body":{"a":[1]}}',
  FunctionResponseTypes: ['ReportBatchItemFailures'],
  'ScalingConfig.MaximumConcurrency': 3,
};
const noMapping: Input = { UUID: '00000000-0000-4000-8000-000000000000' };
const withMapping: Prepare = async (functions, name) => {
  await withVersion(functions, name);
  // A mapping outlives its function.
  const { UUID } = await mappingOf(functions, name);
  if (UUID !== '') await functions.call('DeleteEventSourceMapping', { UUID });
  const input = { FunctionName: name, EventSourceArn: queue('two') };
  const { status, text } = await functions.call('CreateEventSourceMapping', input);
  assert.equal(status, 202, text);
};
const lastInvoked: Look = async ({ environments }) => environments.invoked.at(-1);

const probes: Readonly<Record<string, Probe>> = {
  CreateFunction: {
    base: { ...newFunction, ...someSettings },
    values: {
      FunctionName: 'another',
      ...settings,
      'Code.ZipFile': otherZip,
      'Code.S3Bucket': 'bucket',
      'Code.S3Key': 'one.zip',
      'Code.ImageUri': 'tools:latest',
      Publish: true,
      PackageType: 'Image',
      Tags: { team: 'a' },
      Architectures: ['arm64'],
      'TenancyConfig.TenantIsolationMode': 'PER_TENANT',
    },
    look: looking('ListTags', { Resource: arnOf(resource) }),
  },
  'CreateFunction from S3': {
    base: { ...newFunction, Code: inBucket },
    values: {
      'Code.S3Bucket': 'none',
      'Code.S3Key': 'two.zip',
      'Code.S3ObjectVersion': 'v1',
    },
  },
  'CreateFunction from an image': {
    base: {
      FunctionName: resource,
      Role: testRole,
      PackageType: 'Image',
      Code: { ImageUri: 'tools:latest' },
    },
    values: { 'Code.ImageUri': 'tools:other' },
  },
  'CreateFunction on a capacity provider': {
    base: { ...newFunction, CapacityProviderConfig: managed('one') },
    values: providerSettings,
  },
  UpdateFunctionConfiguration: {
    base: named,
    values: settings,
    prepare: (functions, name) => functions.create(name, someSettings),
  },
  'UpdateFunctionConfiguration on a capacity provider': {
    base: { ...named, CapacityProviderConfig: managed('one') },
    values: providerSettings,
    prepare: (functions, name) =>
      functions.create(name, { CapacityProviderConfig: managed('one') }),
  },
  UpdateFunctionCode: {
    base: { ...named, ZipFile: testZip },
    values: {
      ZipFile: otherZip,
      ImageUri: 'tools:latest',
      Publish: true,
      DryRun: true,
      Architectures: ['arm64'],
    },
    prepare: (functions, name) => functions.create(name),
  },
  'UpdateFunctionCode from S3': {
    base: { ...named, ...inBucket },
    values: { S3Bucket: 'none', S3Key: 'two.zip', S3ObjectVersion: 'v1' },
    prepare: (functions, name) => functions.create(name),
  },
  GetFunctionConfiguration: { base: named, prepare: withVersion },
  GetFunction: { base: named, prepare: withVersion },
  DeleteFunction: {
    base: named,
    values: { Qualifier: '2' },
    prepare: withVersions,
    look: looking('GetFunction'),
  },
  ListFunctions: {
    base: {},
    values: { MasterRegion: 'ALL', FunctionVersion: 'ALL' },
    prepare: withVersion,
  },
  Invoke: {
    base: { ...live, Payload: '{}' },
    values: {
      InvocationType: 'Event',
      LogType: 'Tail',
      ClientContext: Buffer.from('{"custom":{}}').toString('base64'),
      DurableExecutionName: 'name',
      Payload: '{"a":1}',
      TenantId: 'tenant',
    },
    prepare: withVersion,
    look: lastInvoked,
  },
  InvokeWithResponseStream: {
    base: { ...live, Payload: '{}' },
    values: {
      InvocationType: 'DryRun',
      LogType: 'Tail',
      ClientContext: Buffer.from('{"custom":{}}').toString('base64'),
      Payload: '{"a":1}',
      TenantId: 'tenant',
    },
    prepare: withVersion,
    look: lastInvoked,
  },
  InvokeAsync: {
    base: { ...named, InvokeArgs: '{}' },
    values: { InvokeArgs: '{"a":1}' },
    prepare: withVersion,
    look: async (functions) => {
      await functions.ports.events.poll();
      return functions.environments.invoked.at(-1)?.event.payload.toString();
    },
  },
  PublishVersion: {
    base: named,
    values: { CodeSha256: 'AAAA', Description: 'third' },
    prepare: (functions, name) => functions.create(name),
  },
  ListVersionsByFunction: { base: named, prepare: withVersion },
  CreateAlias: {
    base: { ...named, Name: 'made', FunctionVersion: '1' },
    values: {
      FunctionVersion: '2',
      Description: 'other',
      'RoutingConfig.AdditionalVersionWeights': { 2: 0.5 },
    },
    prepare: withVersions,
  },
  GetAlias: { base: { ...named, Name: 'live' }, prepare: withVersion },
  UpdateAlias: {
    base: { ...named, Name: 'live' },
    values: {
      FunctionVersion: '2',
      Description: 'other',
      'RoutingConfig.AdditionalVersionWeights': { 2: 0.5 },
    },
    prepare: withVersions,
  },
  DeleteAlias: {
    base: { ...named, Name: 'live' },
    prepare: withVersion,
    look: looking('ListAliases'),
  },
  ListAliases: { base: named, values: { FunctionVersion: '1' }, prepare: withVersions },
  AddPermission: {
    base: { ...named, ...statement },
    values: {
      Action: 'lambda:GetFunction',
      Principal: 'sns.amazonaws.com',
      SourceArn: 'arn:aws:s3:::bucket',
      SourceAccount: '123456789012',
      EventSourceToken: 'token',
      PrincipalOrgID: 'o-0123456789',
      InvokedViaFunctionUrl: true,
      Qualifier: 'live',
    },
    prepare: withVersion,
  },
  'AddPermission to call a function URL': {
    base: { ...named, ...urlStatement },
    values: { FunctionUrlAuthType: 'NONE' },
    prepare: withVersion,
  },
  GetPolicy: { base: named, prepare: withAlso(['AddPermission', statement]) },
  RemovePermission: {
    base: { ...named, StatementId: 'one' },
    prepare: withAlso(['AddPermission', statement]),
  },
  ListTags: {
    base: { Resource: arnOf(resource) },
    prepare: (functions, name) => functions.create(name, { Tags: { team: 'a' } }),
  },
  TagResource: {
    base: { Resource: arnOf(resource), Tags: { team: 'a' } },
    values: { Tags: { team: 'b' } },
    prepare: (functions, name) => functions.create(name),
    look: looking('ListTags', { Resource: arnOf(resource) }),
  },
  UntagResource: {
    base: { Resource: arnOf(resource), TagKeys: ['team'] },
    values: { TagKeys: ['stage'] },
    prepare: (functions, name) => functions.create(name, { Tags: { team: 'a', stage: 'b' } }),
    look: looking('ListTags', { Resource: arnOf(resource) }),
  },
  PutFunctionConcurrency: {
    base: { ...named, ReservedConcurrentExecutions: 1 },
    values: { ReservedConcurrentExecutions: 2 },
    prepare: withVersion,
  },
  GetFunctionConcurrency: {
    base: named,
    prepare: withAlso(['PutFunctionConcurrency', { ReservedConcurrentExecutions: 1 }]),
  },
  DeleteFunctionConcurrency: { base: named, prepare: withVersion },
  PutProvisionedConcurrencyConfig: {
    base: { ...live, ProvisionedConcurrentExecutions: 1 },
    values: { ProvisionedConcurrentExecutions: 2 },
    prepare: withVersion,
  },
  GetProvisionedConcurrencyConfig: { base: live, prepare: provisioned },
  DeleteProvisionedConcurrencyConfig: { base: live, prepare: provisioned },
  ListProvisionedConcurrencyConfigs: { base: named, prepare: provisioned },
  PublishLayerVersion: {
    base: { LayerName: resource, Content: layerContent },
    values: {
      Description: 'other',
      'Content.ZipFile': otherZip,
      'Content.S3Bucket': 'none',
      'Content.S3Key': 'two.zip',
      CompatibleRuntimes: ['nodejs24.x'],
      LicenseInfo: 'MIT',
      CompatibleArchitectures: ['arm64'],
    },
  },
  'PublishLayerVersion from S3': {
    base: { LayerName: resource, Content: inBucket },
    values: {
      'Content.S3Bucket': 'none',
      'Content.S3Key': 'two.zip',
      'Content.S3ObjectVersion': 'v1',
    },
  },
  GetLayerVersion: { base: layer },
  GetLayerVersionByArn: { base: { Arn: `${layerArn('shared')}:1` } },
  ListLayerVersions: {
    base: { LayerName: 'shared' },
    values: { CompatibleRuntime: 'python3.13', CompatibleArchitecture: 'arm64' },
  },
  ListLayers: {
    base: {},
    values: { CompatibleRuntime: 'python3.13', CompatibleArchitecture: 'arm64' },
  },
  DeleteLayerVersion: {
    base: { LayerName: resource, VersionNumber: 1 },
    prepare: ownLayer,
    look: looking('ListLayerVersions', { LayerName: resource }),
  },
  AddLayerVersionPermission: {
    base: {
      LayerName: resource,
      VersionNumber: 1,
      StatementId: 'one',
      Action: 'lambda:GetLayerVersion',
      Principal: '*',
    },
    values: { Action: 'lambda:Other', Principal: '123456789012', OrganizationId: 'o-0123456789' },
    prepare: ownLayer,
  },
  GetLayerVersionPolicy: { base: layer },
  RemoveLayerVersionPermission: {
    base: { LayerName: resource, VersionNumber: 1, StatementId: 'one' },
    prepare: async (functions, name) => {
      await ownLayer(functions, name);
      await allowEveryone(functions, name);
    },
  },
  GetRuntimeManagementConfig: { base: named, prepare: withVersion },
  PutRuntimeManagementConfig: {
    base: { ...named, UpdateRuntimeOn: 'Auto' },
    values: {
      Qualifier: '1',
      UpdateRuntimeOn: 'FunctionUpdate',
      RuntimeVersionArn: `arn:aws:lambda:us-east-1::runtime:${'a'.repeat(64)}`,
    },
    prepare: withVersion,
  },
  GetFunctionRecursionConfig: { base: named, prepare: withVersion },
  PutFunctionRecursionConfig: {
    base: { ...named, RecursiveLoop: 'Allow' },
    values: { RecursiveLoop: 'Terminate' },
    prepare: withVersion,
  },
  CreateCodeSigningConfig: {
    base: { AllowedPublishers: { SigningProfileVersionArns: [publisher] } },
    values: {
      Description: 'other',
      'AllowedPublishers.SigningProfileVersionArns': [`${publisher}2`],
      'CodeSigningPolicies.UntrustedArtifactOnDeployment': 'Enforce',
      // Those that fit are shown by the tests of code signing.
      Tags: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key${index}`, ''])),
    },
  },
  GetCodeSigningConfig: { base: { CodeSigningConfigArn: '{config}' } },
  UpdateCodeSigningConfig: {
    base: {
      CodeSigningConfigArn: '{config}',
      Description: 'first',
      CodeSigningPolicies: { UntrustedArtifactOnDeployment: 'Warn' },
      AllowedPublishers: { SigningProfileVersionArns: [publisher] },
    },
    values: {
      Description: 'other',
      'AllowedPublishers.SigningProfileVersionArns': [`${publisher}2`],
      'CodeSigningPolicies.UntrustedArtifactOnDeployment': 'Enforce',
    },
  },
  DeleteCodeSigningConfig: { base: { CodeSigningConfigArn: '{config}' } },
  ListCodeSigningConfigs: { base: {} },
  ListFunctionsByCodeSigningConfig: { base: { CodeSigningConfigArn: '{config}' } },
  PutFunctionCodeSigningConfig: {
    base: { ...named, CodeSigningConfigArn: '{config}' },
    prepare: (functions, name) => functions.create(name),
  },
  GetFunctionCodeSigningConfig: { base: named, prepare: withVersion },
  DeleteFunctionCodeSigningConfig: { base: named, prepare: withVersion },
  CreateFunctionUrlConfig: {
    base: { ...named, AuthType: 'NONE' },
    values: { Qualifier: 'live', AuthType: 'AWS_IAM', InvokeMode: 'RESPONSE_STREAM', ...cors },
    prepare: withVersion,
  },
  GetFunctionUrlConfig: { base: named, prepare: withUrls },
  UpdateFunctionUrlConfig: {
    base: named,
    values: { AuthType: 'AWS_IAM', InvokeMode: 'RESPONSE_STREAM', ...cors },
    prepare: withUrls,
  },
  DeleteFunctionUrlConfig: { base: named, prepare: withUrls },
  ListFunctionUrlConfigs: { base: named, prepare: withUrls },
  PutFunctionEventInvokeConfig: {
    base: { ...named, ...someHandling },
    values: { Qualifier: 'live', ...handling },
    prepare: withVersion,
  },
  UpdateFunctionEventInvokeConfig: {
    base: named,
    values: handling,
    prepare: withAlso(['PutFunctionEventInvokeConfig', someHandling]),
  },
  GetFunctionEventInvokeConfig: {
    base: named,
    prepare: withAlso(['PutFunctionEventInvokeConfig', someHandling]),
  },
  DeleteFunctionEventInvokeConfig: {
    base: named,
    prepare: withAlso(['PutFunctionEventInvokeConfig', someHandling]),
  },
  ListFunctionEventInvokeConfigs: {
    base: named,
    prepare: withAlso(
      ['PutFunctionEventInvokeConfig', someHandling],
      ['PutFunctionEventInvokeConfig', { ...someHandling, Qualifier: 'live' }],
    ),
  },
  CreateEventSourceMapping: {
    base: { ...named, EventSourceArn: queue('two') },
    values: { EventSourceArn: queue('three'), ...mappingSettings, Tags: { team: 'a' } },
    prepare: withVersion,
    look: async (functions, name) => {
      const { EventSourceMappingArn } = await mappingOf(functions, name);
      const tags = await functions.call('ListTags', { Resource: EventSourceMappingArn });
      const listed = await functions.call('ListEventSourceMappings', { FunctionName: name });
      return [shown(tags), shown(listed)];
    },
  },
  GetEventSourceMapping: { base: { UUID: '{mapping}' }, values: noMapping, prepare: withMapping },
  UpdateEventSourceMapping: {
    base: { UUID: '{mapping}' },
    values: { ...noMapping, ...mappingSettings },
    prepare: withMapping,
  },
  DeleteEventSourceMapping: {
    base: { UUID: '{mapping}' },
    values: noMapping,
    prepare: withMapping,
  },
  ListEventSourceMappings: {
    base: {},
    values: { EventSourceArn: queue('three') },
    prepare: withMapping,
  },
  ListCapacityProviders: { base: {}, values: { State: 'Failed' } },
  GetCapacityProvider: { base: { CapacityProviderName: 'one' } },
  ListFunctionVersionsByCapacityProvider: {
    base: { CapacityProviderName: 'one' },
    prepare: (functions, name) =>
      functions.create(name, { CapacityProviderConfig: managed('one'), Publish: true }),
  },
  GetFunctionLogs: {
    base: named,
    values: { StartTime: 2_000_000_000_000 },
    prepare: async (functions, name) => {
      await functions.create(name);
      const folder = join(functions.ports.logFolder, `%2Faws%2Flambda%2F${name}`);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'stream'), '1000 one\n2000 two\n');
    },
  },
};

/** The mapping of a function that has one. */
async function mappingOf(
  functions: TestFunctions,
  FunctionName: string,
): Promise<{ readonly UUID: string; readonly EventSourceMappingArn: string }> {
  const { body } = await functions.call('ListEventSourceMappings', { FunctionName });
  return body.EventSourceMappings[0] ?? { UUID: '', EventSourceMappingArn: arnOf('none') };
}

async function provisioned(functions: TestFunctions, FunctionName: string): Promise<void> {
  await withVersions(functions, FunctionName);
  for (const Qualifier of ['live', 'next']) {
    const input = { FunctionName, Qualifier, ProvisionedConcurrentExecutions: 1 };
    await functions.call('PutProvisionedConcurrencyConfig', input);
  }
  await functions.untilProvisioned();
}

async function withUrls(functions: TestFunctions, FunctionName: string): Promise<void> {
  await withVersion(functions, FunctionName);
  await functions.call('CreateFunctionUrlConfig', { FunctionName, AuthType: 'NONE' });
  const aliased = { FunctionName, AuthType: 'NONE', Qualifier: 'live' };
  await functions.call('CreateFunctionUrlConfig', aliased);
}

async function ownLayer(functions: TestFunctions, LayerName: string): Promise<void> {
  await functions.call('PublishLayerVersion', { LayerName, Content: layerContent });
}

async function allowEveryone(functions: TestFunctions, LayerName: string): Promise<void> {
  await functions.call('AddLayerVersionPermission', {
    LayerName,
    VersionNumber: 1,
    StatementId: 'one',
    Action: 'lambda:GetLayerVersion',
    Principal: '*',
  });
}

/** Refuse whatever they are given, or have nothing to show it by. */
const alwaysTheSame: ReadonlySet<string> = new Set([
  'CreateCapacityProvider',
  'UpdateCapacityProvider',
  'DeleteCapacityProvider',
]);

/** What executions are reported is shown by the tests of `functions/durable-executions`, which need programs for it. */
const durable: ReadonlySet<string> = new Set([
  'CheckpointDurableExecution',
  'GetDurableExecution',
  'GetDurableExecutionHistory',
  'GetDurableExecutionState',
  'ListDurableExecutionsByFunction',
  'SendDurableExecutionCallbackFailure',
  'SendDurableExecutionCallbackHeartbeat',
  'SendDurableExecutionCallbackSuccess',
  'StopDurableExecution',
]);

/** Need the forge: `commands/serve/push-deployments.test.ts`. */
const ofThePushes: ReadonlySet<string> = new Set([
  'CreatePushDeployment',
  'DeletePushDeployment',
  'ListPushDeployments',
]);

/** Without an effect that another value could have, and why. */
const withoutEffect: ReadonlySet<string> = new Set([
  // The only value there is.
  'AddLayerVersionPermission Action',
]);

describe('every member of every input', () => {
  let functions: TestFunctions;
  let operations: Map<string, Operation>;
  let config = '';
  let resources = 0;
  let shared: { readonly probe: Probe; readonly own: string } | undefined;

  before(async () => {
    const subnet = (vpcId: string) => ({ vpcId, reaches: [] });
    const group = (vpcId: string) => ({ vpcId, ports: undefined });
    functions = await createTestFunctions({
      configured: {
        subnets: new Map(['subnet-1', 'subnet-2'].map((id) => [id, subnet('vpc-1')])),
        securityGroups: new Map(['sg-1', 'sg-2'].map((id) => [id, group('vpc-1')])),
        accessPoints: new Map([[accessPoint, { folder: '/none' }]]),
        targets: new Map<string, EventTarget>([
          [queue('one'), { kind: 'folder', folder: '/none' }],
          [queue('two'), { kind: 'endpoint', url: 'http://127.0.0.1:9' }],
          [queue('three'), { kind: 'endpoint', url: 'http://127.0.0.1:9' }],
        ]),
        capacityProviders: new Map(
          ['one', 'other'].map((name) => [provider(name), { environmentsMax: 9 }]),
        ),
      },
    });
    operations = new Map(
      operationHandlers(functions.ports).map(({ operation }) => [operation.name, operation]),
    );
    for (const LayerName of ['shared', 'shared', 'second']) {
      await functions.call('PublishLayerVersion', { LayerName, Content: layerContent });
    }
    await allowEveryone(functions, 'shared');
    const bucket = join(functions.folder, 'buckets/bucket');
    await mkdir(bucket, { recursive: true });
    await writeFile(join(bucket, 'one.zip'), testZip);
    await writeFile(join(bucket, 'two.zip'), otherZip);
    const layouts = join(functions.folder, 'layouts/tools');
    await writeImageLayout(layouts, 'latest', { layers: [[]] });
    await functions.create('first', { Publish: true });
    await functions.create('second', { Publish: true });
    const made = { AllowedPublishers: { SigningProfileVersionArns: [publisher] } };
    await functions.call('CreateCodeSigningConfig', made);
    const answer = await functions.call('CreateCodeSigningConfig', made);
    config = answer.body.CodeSigningConfig.CodeSigningConfigArn;
    for (const FunctionName of ['first', 'second']) {
      const given = { FunctionName, CodeSigningConfigArn: config };
      await functions.call('PutFunctionCodeSigningConfig', given);
    }
  });
  after(() => functions.close());

  it('is looked at', () => {
    const looked = new Set(Object.keys(probes).map(operationOf));
    const missing = [...operations.values()].filter(
      ({ name, input }) =>
        !looked.has(name) &&
        !alwaysTheSame.has(name) &&
        !durable.has(name) &&
        !ofThePushes.has(name) &&
        Object.keys(input.members).length > 0,
    );
    assert.deepEqual(
      missing.map(({ name }) => name),
      [],
    );
  });

  for (const name of new Set(Object.keys(probes).map(operationOf))) {
    it(`has an effect or is refused (${name})`, async () => {
      const operation = operations.get(name);
      assert.ok(operation);
      const shapes = new Map(leavesOf(operation.input));
      const silent = new Set(
        [...shapes.keys()].filter((path) => !withoutEffect.has(`${name} ${path}`)),
      );
      for (const [title, probe] of Object.entries(probes)) {
        if (operationOf(title) !== name) continue;
        const without = await observe(name, probe, probe.base);
        // Or else every member would seem to have an effect.
        assert.equal(await observe(name, probe, probe.base), without);
        for (const path of silent) {
          const value = probe.values?.[path] ?? general[path.split('.').at(-1) ?? ''];
          const values = value === undefined ? samplesOf(shapes.get(path)) : [value];
          for (const each of values) {
            const given = withMember(probe.base, path.split('.'), each);
            if ((await observe(name, probe, given)) === without) continue;
            silent.delete(path);
            break;
          }
        }
      }
      assert.deepEqual([...silent], []);
    });
  }

  /** Everything that the call and a look afterwards show, with nothing in it that is new each time. */
  async function observe(name: string, probe: Probe, input: Input): Promise<string> {
    // What only reads can share a resource.
    if (shared?.probe !== probe || operations.get(name)?.method !== 'GET') {
      if (shared) await functions.call('DeleteFunction', { FunctionName: shared.own });
      resources += 1;
      shared = { probe, own: `resource-${resources}-of-probes` };
      await probe.prepare?.(functions, shared.own);
    }
    const { own } = shared;
    const answer = await functions.call(name, await filledIn(input, own));
    await functions.untilProvisioned();
    const looked = await probe.look?.(functions, own);
    if (name === 'CreateFunction')
      await functions.call('DeleteFunction', { FunctionName: 'another' });
    return finalText(JSON.stringify([shown(answer), looked]), own);
  }

  async function filledIn(input: Input, own: string): Promise<Input> {
    const needsMapping = Object.values(input).includes('{mapping}');
    const mapping = needsMapping ? (await mappingOf(functions, own)).UUID : '';
    return filled(input, own, config, mapping);
  }

  it('of AWS is in the contract, or refused by its name', () => {
    const unknown: string[] = [];
    for (const [name, operation] of operations) {
      // What refuses everything needs no members.
      if (alwaysTheSame.has(name)) continue;
      const schema: unknown = Reflect.get(sdk, `${name}$`);
      if (schema === undefined) continue;
      const [, , , , input]: unknown[] = Array.isArray(schema) ? schema : [];
      const ours = new Set(pathsOf(operation.input));
      const refused = unsupportedMembers[name] ?? [];
      for (const path of modelPaths(input)) {
        const isRefused = refused.some((each) => path === each || path.startsWith(`${each}.`));
        if (!ours.has(path) && !isRefused) unknown.push(`${name} ${path}`);
      }
    }
    assert.deepEqual(unknown, []);
  });

  for (const [name, paths] of Object.entries(unsupportedMembers)) {
    for (const path of paths) {
      it(`that is not supported is refused (${name} ${path})`, async () => {
        const probe = probes[name];
        assert.ok(probe);
        const input = withMember(probe.base, path.split('.'), 'value');
        await probe.prepare?.(functions, 'unsupported');
        const answer = await functions.call(name, await filledIn(input, 'unsupported'));
        assert.equal(answer.body.message, `${path} is not supported by this server.`);
        await functions.call('DeleteFunction', { FunctionName: 'unsupported' });
      });
    }
  }
});

function operationOf(title: string): string {
  return title.split(' ')[0] ?? '';
}

function shown({ status, headers, text }: TestResponse): unknown {
  const { date: _now, 'x-amzn-requestid': _id, ...others } = headers;
  return { status, headers: others, text };
}

/** Ids, revisions and times are new each time, and so is the name of the resource. */
function finalText(text: string, own: string): string {
  return text
    .replaceAll(own, resource)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'uuid')
    .replaceAll(/"LastModified":[\d.]+/g, '')
    .replaceAll(/csc-[0-9a-f]{17}/g, 'csc')
    .replaceAll(/lambda-url[^"]*/g, 'url')
    .replaceAll(/\b[a-z0-9]{32}\b/g, 'id')
    .replaceAll(/code-archives\/[\w-]+/g, 'link')
    .replaceAll(/Root=[^"]*/g, 'trace')
    .replaceAll(/"functionHash":"[0-9a-f]+"/g, 'hash')
    .replaceAll(/(ConfigSha256[\\":]+)[0-9a-f]{64}/g, '$1digest')
    .replaceAll(/"(content-length|versionId|configurationId)\\?":\\?"?\d+\\?"?/g, '');
}

function filled(input: Input, own: string, config = '', mapping = ''): Input {
  const text = (value: unknown): unknown => {
    if (typeof value === 'string') {
      return value
        .replaceAll(resource, own)
        .replaceAll('{config}', config)
        .replaceAll('{mapping}', mapping);
    }
    if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value;
    return Array.isArray(value)
      ? value.map(text)
      : Object.fromEntries(Object.entries(value).map(([name, each]) => [name, text(each)]));
  };
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, text(value)]));
}

/** A member of a list is set in the first of its items. */
function withMember(
  input: unknown,
  [first = '', ...rest]: readonly string[],
  value: unknown,
): Input {
  if (Array.isArray(input)) throw new Error('A list is changed by what has it.');
  const current: Record<string, unknown> =
    typeof input === 'object' && input !== null ? { ...input } : {};
  if (rest.length === 0) return { ...current, [first]: value };
  const inner = current[first];
  const isList = Array.isArray(inner) || first === 'FileSystemConfigs' || first === 'Filters';
  const [head = {}]: unknown[] = Array.isArray(inner) ? inner : [inner];
  const changed = withMember(head, rest, value);
  return { ...current, [first]: isList ? [changed] : changed };
}

/** Values within the constraints of a shape, where some are easily found: one may be the default. */
function samplesOf(shape: Shape | undefined): readonly unknown[] {
  switch (shape?.type) {
    case 'boolean':
      return [true, false];
    case 'integer':
    case 'long':
    case 'double':
      return [(shape.min ?? 0) + 1, shape.min ?? 0];
    case 'string':
      return shape.values ?? [];
    case 'blob':
    case 'list':
    case 'map':
    case 'stream':
    case 'structure':
    case 'timestamp':
    case undefined:
      return [];
  }
}

function pathsOf(shape: Shape): string[] {
  switch (shape.type) {
    case 'structure':
      return Object.entries(shape.members).flatMap(([name, member]) => [
        name,
        ...pathsOf(member.shape).map((path) => `${name}.${path}`),
      ]);
    case 'list':
      return pathsOf(shape.item);
    case 'map':
      return pathsOf(shape.value);
    case 'blob':
    case 'boolean':
    case 'double':
    case 'integer':
    case 'long':
    case 'stream':
    case 'string':
    case 'timestamp':
      return [];
  }
}

/** The same of AWS's client: [3, namespace, name, traits, names, schemas] is a structure, 1 a list and 2 a map. */
function modelPaths(schema: unknown): string[] {
  const found = resolved(schema);
  if (!Array.isArray(found)) return [];
  const [kind, , , , first, second]: unknown[] = found;
  if (kind === 1) return modelPaths(first);
  if (kind === 2) return modelPaths(second);
  if (kind !== 3 || !Array.isArray(first) || !Array.isArray(second)) return [];
  return first.flatMap((name: unknown, index) => [
    String(name),
    ...modelPaths(second[index]).map((path) => `${String(name)}.${path}`),
  ]);
}

/** Schemas are given by functions, and with traits next to them. */
function resolved(schema: unknown): unknown {
  if (typeof schema === 'function') return resolved(schema());
  if (Array.isArray(schema) && typeof schema[0] !== 'number') return resolved(schema[0]);
  return schema;
}
