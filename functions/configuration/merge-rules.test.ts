import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { zipOf } from '../code/testing/zip-of.ts';
import { createKey, disableKey } from '../keys/administer-keys.ts';
import { keyArn } from '../keys/key.ts';
import { assertRefused } from '../testing/assert-refused.ts';
import { createTestFunctions, testZip, type TestFunctions } from '../testing/test-functions.ts';

type Input = Readonly<Record<string, unknown>>;

const queue = 'arn:aws:sqs:us-east-1:123456789012:lost';
const shared = {
  Arn: 'arn:aws:elasticfilesystem:us-east-1:123456789012:access-point/fsap-0123456789abcdef0',
  LocalMountPath: '/mnt/shared',
};
const network = { SubnetIds: ['subnet-1'], SecurityGroupIds: ['sg-1'] };
const ofText = { LogFormat: 'Text', LogGroup: '/aws/lambda/' } as const;

describe('what an update leaves as it was', () => {
  let functions: TestFunctions;
  let serial = 0;
  before(async () => {
    functions = await createTestFunctions({
      configured: {
        subnets: new Map([['subnet-1', { vpcId: 'vpc-1', reaches: [] }]]),
        securityGroups: new Map([['sg-1', { vpcId: 'vpc-1', ports: undefined }]]),
        targets: new Map([[queue, { kind: 'http', url: 'http://queue.test' }]]),
        accessPoints: new Map([[shared.Arn, { folder: '/srv/shared' }]]),
      },
    });
  });
  after(() => functions.close());

  /** A member of the record after updates of a new function, one after the other. */
  async function member(name: string, ...updates: readonly Input[]): Promise<unknown> {
    serial += 1;
    const FunctionName = `fn-${serial}`;
    await functions.create(FunctionName);
    for (const update of updates) {
      const answer = await functions.call('UpdateFunctionConfiguration', {
        FunctionName,
        ...update,
      });
      assert.equal(answer.status, 200, answer.text);
      await functions.untilProvisioned();
    }
    const record = await functions.call('GetFunctionConfiguration', { FunctionName });
    return JSON.parse(JSON.stringify(record.body[name] ?? null).replaceAll(FunctionName, ''));
  }

  const changed = { Description: 'other' };
  const rows: readonly (readonly [string, string, readonly Input[], unknown])[] = [
    ['an empty description clears it', 'Description', [changed, { Description: '' }], ''],
    ['a null is no value', 'Description', [changed, { Description: null, Timeout: 5 }], 'other'],
    [
      'variables are replaced as a whole',
      'Environment',
      [
        { Environment: { Variables: { ONE: '1', TWO: '2' } } },
        { Environment: { Variables: { TWO: '3' } } },
      ],
      { Variables: { TWO: '3' } },
    ],
    [
      'variables stay when none are given',
      'Environment',
      [{ Environment: { Variables: { ONE: '1' } } }, changed],
      { Variables: { ONE: '1' } },
    ],
    [
      'an empty map clears the variables and shows',
      'Environment',
      [{ Environment: { Variables: { ONE: '1' } } }, { Environment: { Variables: {} } }],
      { Variables: {} },
    ],
    [
      'an environment without variables clears them',
      'Environment',
      [{ Environment: { Variables: { ONE: '1' } } }, { Environment: {} }],
      { Variables: {} },
    ],
    ['variables that were never given do not show', 'Environment', [changed], null],
    [
      'an empty dead letter structure keeps the target',
      'DeadLetterConfig',
      [{ DeadLetterConfig: { TargetArn: queue } }, { DeadLetterConfig: {} }],
      { TargetArn: queue },
    ],
    [
      'an empty dead letter ARN clears the target',
      'DeadLetterConfig',
      [{ DeadLetterConfig: { TargetArn: queue } }, { DeadLetterConfig: { TargetArn: '' } }],
      null,
    ],
    [
      'a network gets the name of its VPC',
      'VpcConfig',
      [{ VpcConfig: network }],
      { ...network, VpcId: 'vpc-1', Ipv6AllowedForDualStack: false },
    ],
    [
      'two empty lists disconnect, and show',
      'VpcConfig',
      [{ VpcConfig: network }, { VpcConfig: { SubnetIds: [], SecurityGroupIds: [] } }],
      { SubnetIds: [], SecurityGroupIds: [], VpcId: '', Ipv6AllowedForDualStack: false },
    ],
    [
      'one list leaves the other',
      'VpcConfig',
      [{ VpcConfig: network }, { VpcConfig: { SubnetIds: ['subnet-1'] } }],
      { ...network, VpcId: 'vpc-1', Ipv6AllowedForDualStack: false },
    ],
    ...[{ SecurityGroupIds: ['sg-1'] }, { Ipv6AllowedForDualStack: false }, {}].map(
      (partial): readonly [string, string, readonly Input[], unknown] => [
        `${JSON.stringify(partial)} leaves the VPC`,
        'VpcConfig',
        [{ VpcConfig: network }, { VpcConfig: partial }],
        { ...network, VpcId: 'vpc-1', Ipv6AllowedForDualStack: false },
      ],
    ),
    [
      'file systems stay when none are given',
      'FileSystemConfigs',
      [{ VpcConfig: network, FileSystemConfigs: [shared] }, changed],
      [shared],
    ],
    [
      'an empty list of file systems removes them',
      'FileSystemConfigs',
      [{ VpcConfig: network, FileSystemConfigs: [shared] }, { FileSystemConfigs: [] }],
      null,
    ],
    [
      'a log group leaves format and levels',
      'LoggingConfig',
      [
        { LoggingConfig: { LogFormat: 'JSON', ApplicationLogLevel: 'DEBUG' } },
        { LoggingConfig: { LogGroup: 'cool' } },
      ],
      {
        LogFormat: 'JSON',
        LogGroup: 'cool',
        ApplicationLogLevel: 'DEBUG',
        SystemLogLevel: 'INFO',
      },
    ],
    [
      'the JSON format sets both levels',
      'LoggingConfig',
      [{ LoggingConfig: { LogFormat: 'JSON' } }],
      { ...ofText, LogFormat: 'JSON', ApplicationLogLevel: 'INFO', SystemLogLevel: 'INFO' },
    ],
    [
      'the text format removes the levels',
      'LoggingConfig',
      [{ LoggingConfig: { LogFormat: 'JSON' } }, { LoggingConfig: { LogFormat: 'Text' } }],
      ofText,
    ],
    [
      'an empty tracing structure leaves the mode',
      'TracingConfig',
      [{ TracingConfig: { Mode: 'Active' } }, { TracingConfig: {} }],
      { Mode: 'Active' },
    ],
    [
      'an empty snapshot structure leaves the setting',
      'SnapStart',
      [{ Runtime: 'python3.12', SnapStart: { ApplyOn: 'PublishedVersions' } }, { SnapStart: {} }],
      { ApplyOn: 'PublishedVersions', OptimizationStatus: 'Off' },
    ],
    [
      'durability is merged',
      'DurableConfig',
      [
        { DurableConfig: { ExecutionTimeout: 60, RetentionPeriodInDays: 3 } },
        { DurableConfig: { RetentionPeriodInDays: 5 } },
      ],
      { ExecutionTimeout: 60, RetentionPeriodInDays: 5 },
    ],
  ];

  for (const [name, memberName, updates, expected] of rows) {
    it(name, async () => {
      assert.deepEqual(await member(memberName, ...updates), expected);
    });
  }

  // Long out of support, and taken all the same.
  for (const runtime of ['python3.8', 'python3.9', 'nodejs16.x', 'dotnet6']) {
    it(`functions may have ${runtime}`, async () => {
      assert.equal(await member('Runtime', { Runtime: runtime }), runtime);
    });
  }

  for (const runtime of [
    'java11',
    'java17',
    'java21',
    'java25',
    'python3.12',
    'python3.13',
    'dotnet8',
    'dotnet10',
  ]) {
    it(`snapshots can be taken of ${runtime}`, async () => {
      const given = { Runtime: runtime, SnapStart: { ApplyOn: 'PublishedVersions' } };
      assert.deepEqual(await member('SnapStart', given), {
        ApplyOn: 'PublishedVersions',
        OptimizationStatus: 'Off',
      });
    });
  }

  it('an empty key ARN leads back to the key of the service, and the variables stay', async () => {
    const { ports, clock } = functions;
    const accountRegion = ports.settings;
    const KMSKeyArn = keyArn(
      accountRegion,
      (await createKey({ ...ports, clock, accountRegion }, '')).id,
    );
    const Environment = { Variables: { ONE: '1' } };
    assert.equal(await member('KMSKeyArn', { KMSKeyArn, Environment }), KMSKeyArn);
    const FunctionName = `fn-${serial}`;
    const reported = await functions.call('UpdateFunctionConfiguration', {
      FunctionName,
      KMSKeyArn: '',
    });
    assert.equal('KMSKeyArn' in reported.body, false);
    await functions.untilProvisioned();
    await disableKey({ ...ports, clock, accountRegion }, KMSKeyArn);
    const record = await functions.call('GetFunctionConfiguration', { FunctionName });
    assert.deepEqual(record.body.Environment, Environment);
  });

  it('an empty list of layers removes them, and none given leaves them', async () => {
    const { body } = await functions.call('PublishLayerVersion', {
      LayerName: 'tools',
      Content: { ZipFile: testZip },
    });
    const arns = async (...updates: readonly Input[]): Promise<unknown> =>
      JSON.parse(JSON.stringify(await member('Layers', ...updates)))?.map?.(
        ({ Arn }: { Arn: string }) => Arn,
      );
    const Layers = [body.LayerVersionArn];
    assert.deepEqual(await arns({ Layers }, changed), Layers);
    assert.equal(await member('Layers', { Layers }, { Layers: [] }), null);
  });

  it('new code counts together with the layers that stay', async () => {
    const { body } = await functions.call('PublishLayerVersion', {
      LayerName: 'large',
      Content: { ZipFile: zipOf({ large: '' }).toString('base64') },
    });
    const FunctionName = 'layered';
    await functions.create(FunctionName, { Layers: [body.LayerVersionArn] });
    await functions.ports.database.write((sql) =>
      sql.run(
        'update function_codes set unzipped_size = 262144000 where sha256 = $1',
        Buffer.from(String(body.Content.CodeSha256), 'base64').toString('hex'),
      ),
    );
    const ZipFile = zipOf({ more: 'x' }).toString('base64');
    for (const DryRun of [true, false]) {
      assertRefused(
        await functions.call('UpdateFunctionCode', { FunctionName, ZipFile, DryRun }),
        'InvalidParameterValueException',
        'Unzipped size must be smaller than 262144000 bytes',
      );
    }
  });

  it('takes variables of exactly 4096 bytes', async () => {
    const Variables = { LARGE_VAR: 'x'.repeat(4096 - '{"LARGE_VAR":""}'.length) };
    assert.deepEqual(await member('Environment', { Environment: { Variables } }), { Variables });
  });

  it('takes the neutral spelling of a member', async () => {
    const answer = await functions.call('UpdateFunctionConfiguration', {
      FunctionName: 'fn-1',
      CapacityProviderConfig: { VendorManagedInstancesCapacityProviderConfig: {} },
    });
    assert.match(String(answer.body.message), /capacityProviderArn' failed/);
  });
});
