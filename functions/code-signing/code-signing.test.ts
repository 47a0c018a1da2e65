import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused } from '../testing/assert-refused.ts';
import {
  arnOf,
  createTestFunctions,
  testRole,
  testZip,
  type TestResponse,
  type TestFunctions,
} from '../testing/test-functions.ts';

const publisher = 'arn:aws:signer:us-east-1:123456789012:/signing-profiles/build/abcdefghij';
const AllowedPublishers = { SigningProfileVersionArns: [publisher] };
const enforced = { UntrustedArtifactOnDeployment: 'Enforce' };
const missing = 'arn:aws:lambda:us-east-1:123456789012:code-signing-config:csc-0123456789abcdef0';
const blocked =
  'Lambda cannot deploy the function. The function or layer might be signed using a signature that the client is not configured to accept. Check the provided signature for';

describe('code signing configurations', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
  });
  after(() => functions.close());

  const create = async (input: object = {}): Promise<TestResponse> =>
    functions.call('CreateCodeSigningConfig', { AllowedPublishers, ...input });
  const createArn = async (input: object = {}): Promise<string> =>
    String((await create(input)).body.CodeSigningConfig.CodeSigningConfigArn);

  it('that do not exist are refused', async () => {
    for (const operation of [
      'GetCodeSigningConfig',
      'UpdateCodeSigningConfig',
      'DeleteCodeSigningConfig',
      'ListFunctionsByCodeSigningConfig',
    ]) {
      for (const arn of [missing, missing.replace('123456789012', '210987654321')]) {
        assertRefused(
          await functions.call(operation, { CodeSigningConfigArn: arn }),
          'ResourceNotFoundException',
          `The Lambda code signing configuration ${arn} can not be found.`,
        );
      }
    }
    const { body } = await functions.send({
      method: 'GET',
      target: '/2020-04-22/code-signing-configs/',
    });
    assert.deepEqual(body, { CodeSigningConfigs: [] });
  });

  it('without publishers, or with an unknown policy, are not created', async () => {
    const CodeSigningPolicies = { UntrustedArtifactOnDeployment: 'Allow' };
    for (const input of [
      { AllowedPublishers: { SigningProfileVersionArns: [] } },
      { AllowedPublishers: { SigningProfileVersionArns: ['profile'] } },
      { AllowedPublishers: undefined },
      { CodeSigningPolicies },
    ]) {
      assertRefused(await create(input), 'ValidationException', /^1 validation error detected/);
    }
  });

  it('are created, read, changed by what is given, listed in pages and deleted', async () => {
    const created = await create({ Description: 'build', Tags: { team: 'a' } });
    assert.equal(created.status, 201);
    const { CodeSigningConfig: config } = created.body;
    assert.match(config.CodeSigningConfigArn, /:code-signing-config:csc-[a-z0-9]{17}$/);
    assert.deepEqual(config, {
      CodeSigningConfigId: config.CodeSigningConfigArn.split(':').at(-1),
      CodeSigningConfigArn: config.CodeSigningConfigArn,
      Description: 'build',
      AllowedPublishers,
      CodeSigningPolicies: { UntrustedArtifactOnDeployment: 'Warn' },
      LastModified: '2026-01-02T03:04:05.678+0000',
    });
    const { CodeSigningConfigArn } = config;
    const read = async (): Promise<unknown> =>
      (await functions.call('GetCodeSigningConfig', { CodeSigningConfigArn })).body;
    assert.deepEqual(await read(), created.body);

    functions.clock.advance(1000);
    const input = { CodeSigningConfigArn, CodeSigningPolicies: enforced };
    const updated = await functions.call('UpdateCodeSigningConfig', input);
    const changed = {
      ...config,
      CodeSigningPolicies: enforced,
      LastModified: '2026-01-02T03:04:06.678+0000',
    };
    assert.deepEqual(updated.body, { CodeSigningConfig: changed });
    assert.deepEqual(await read(), updated.body);

    const other = await createArn();
    const first = await functions.call('ListCodeSigningConfigs', { MaxItems: 1 });
    assert.deepEqual(first.body.CodeSigningConfigs, [changed]);
    const { NextMarker: Marker } = first.body;
    const second = await functions.call('ListCodeSigningConfigs', { Marker });
    assert.deepEqual(
      second.body.CodeSigningConfigs.map((each: Record<string, unknown>) => [
        each['CodeSigningConfigArn'],
        each['Description'],
      ]),
      [[other, '']],
    );
    for (const arn of [CodeSigningConfigArn, other]) {
      const deleted = await functions.call('DeleteCodeSigningConfig', {
        CodeSigningConfigArn: arn,
      });
      assert.deepEqual([deleted.status, deleted.text], [204, '']);
    }
    assert.deepEqual((await functions.call('ListCodeSigningConfigs')).body, {
      CodeSigningConfigs: [],
    });
  });

  it('have tags', async () => {
    const Resource = await createArn({ Tags: { team: 'a' } });
    const tags = async (): Promise<unknown> =>
      (await functions.call('ListTags', { Resource })).body.Tags;
    assert.deepEqual(await tags(), { team: 'a' });
    await functions.call('TagResource', { Resource, Tags: { stage: 'test' } });
    assert.deepEqual(await tags(), { team: 'a', stage: 'test' });
    await functions.call('UntagResource', { Resource, TagKeys: ['team'] });
    assert.deepEqual(await tags(), { stage: 'test' });
    assertRefused(
      await functions.call('ListTags', { Resource: missing }),
      'ResourceNotFoundException',
      `Code signing config not found: ${missing}`,
    );
  });

  describe('of a function', () => {
    const named = { FunctionName: 'signed' };
    before(() => functions.create('signed'));

    const deploy = (input: object = {}): Promise<TestResponse> =>
      functions.call('UpdateFunctionCode', { ...named, ZipFile: testZip, ...input });

    it('must exist', async () => {
      const given = { CodeSigningConfigArn: missing };
      const message = `The code signing configuration cannot be found. Check that the provided configuration is not deleted: ${missing}.`;
      assertRefused(
        await functions.call('PutFunctionCodeSigningConfig', { ...named, ...given }),
        'CodeSigningConfigNotFoundException',
        message,
      );
      const role = { FunctionName: 'new', Role: testRole };
      const code = { Runtime: 'nodejs24.x', Handler: 'a.b', Code: { ZipFile: testZip } };
      assertRefused(
        await functions.call('CreateFunction', { ...role, ...code, ...given }),
        'CodeSigningConfigNotFoundException',
        message,
      );
      const image = { ImageUri: '123456789012.dkr.ecr.us-east-1.amazonaws.com/app:1' };
      assertRefused(
        await functions.call('CreateFunction', {
          ...role,
          PackageType: 'Image',
          Code: image,
          CodeSigningConfigArn: await createArn(),
        }),
        'InvalidParameterValueException',
        'Code signing configurations are not supported for functions defined as container images.',
      );
      assertRefused(
        await functions.call('PutFunctionCodeSigningConfig', { FunctionName: 'gone', ...given }),
        'ResourceNotFoundException',
        `Function not found: ${arnOf('gone')}`,
      );
    });

    it('is put, read, listed, held against its deletion, and taken away', async () => {
      const CodeSigningConfigArn = await createArn();
      const read = async (): Promise<unknown> =>
        (await functions.call('GetFunctionCodeSigningConfig', named)).body;
      assert.deepEqual(await read(), {});
      const given = { ...named, CodeSigningConfigArn };
      const put = await functions.call('PutFunctionCodeSigningConfig', given);
      assert.deepEqual([put.status, put.body], [200, { ...named, CodeSigningConfigArn }]);
      assert.deepEqual(await read(), { ...named, CodeSigningConfigArn });
      const users = async (): Promise<unknown> =>
        (await functions.call('ListFunctionsByCodeSigningConfig', { CodeSigningConfigArn })).body;
      assert.deepEqual(await users(), { FunctionArns: [arnOf('signed')] });
      assertRefused(
        await functions.call('DeleteCodeSigningConfig', { CodeSigningConfigArn }),
        'ResourceConflictException',
        /is in use by functions/,
      );
      const taken = await functions.call('DeleteFunctionCodeSigningConfig', named);
      assert.deepEqual([taken.status, taken.text], [204, '']);
      assert.deepEqual(await read(), {});
      assert.deepEqual(await users(), { FunctionArns: [] });
    });

    it('that warns lets unsigned code pass, and says so in the audit log', async () => {
      const CodeSigningConfigArn = await createArn();
      await functions.call('PutFunctionCodeSigningConfig', { ...named, CodeSigningConfigArn });
      assert.equal((await deploy()).status, 200);
      await functions.untilProvisioned();
      const made = await functions.create('warned', { CodeSigningConfigArn });
      assert.equal(made.status, 201);
      const { body } = await functions.call('GetFunctionCodeSigningConfig', {
        FunctionName: 'warned',
      });
      assert.deepEqual(body, { FunctionName: 'warned', CodeSigningConfigArn });
      const log = await readFile(join(functions.folder, 'audit.log'), 'utf8');
      const warnings = log
        .trim()
        .split('\n')
        .map((line): { event: string; warnings?: string[] } => JSON.parse(line))
        .filter((line) => line.warnings)
        .map((line) => [line.event, line.warnings]);
      assert.deepEqual(warnings, [
        [
          'UpdateFunctionCode',
          [`The code or a layer of signed has no signature that ${CodeSigningConfigArn} trusts.`],
        ],
        [
          'CreateFunction',
          [`The code or a layer of warned has no signature that ${CodeSigningConfigArn} trusts.`],
        ],
      ]);
    });

    it('that enforces refuses unsigned code and layers, and nothing else', async () => {
      const CodeSigningConfigArn = await createArn({ CodeSigningPolicies: enforced });
      const refuse = (answer: TestResponse, name = 'signed'): void =>
        assertRefused(answer, 'CodeVerificationFailedException', `${blocked} ${name}.`);
      const layer = await functions.call('PublishLayerVersion', {
        LayerName: 'unsigned',
        Content: { ZipFile: testZip },
      });
      const Layers = [layer.body.LayerVersionArn];
      const configure = (input: object): Promise<TestResponse> =>
        functions.call('UpdateFunctionConfiguration', { ...named, ...input });

      await functions.call('PutFunctionCodeSigningConfig', { ...named, CodeSigningConfigArn });
      refuse(await deploy());
      refuse(await deploy({ DryRun: true }));
      refuse(await configure({ Layers }));
      assert.equal((await configure({ Timeout: 9 })).status, 200);
      await functions.untilProvisioned();
      assert.equal((await functions.call('PublishVersion', named)).status, 201);
      refuse(
        await functions.call('CreateFunction', {
          FunctionName: 'blocked',
          Role: testRole,
          Runtime: 'nodejs24.x',
          Handler: 'index.handler',
          Code: { ZipFile: testZip },
          CodeSigningConfigArn,
        }),
        'blocked',
      );
      const unmade = await functions.call('GetFunction', { FunctionName: 'blocked' });
      assert.equal(unmade.status, 404);

      // Layers that a function has already are not deployed again.
      await functions.call('DeleteFunctionCodeSigningConfig', named);
      assert.equal((await configure({ Layers })).status, 200);
      await functions.untilProvisioned();
      await functions.call('PutFunctionCodeSigningConfig', { ...named, CodeSigningConfigArn });
      assert.equal((await configure({ Layers, Timeout: 8 })).status, 200);
      await functions.untilProvisioned();
      await functions.call('DeleteFunctionCodeSigningConfig', named);
      assert.equal((await deploy()).status, 200);
      await functions.untilProvisioned();
    });

    it('goes with the function', async () => {
      const CodeSigningConfigArn = await createArn();
      await functions.create('short', { CodeSigningConfigArn });
      await functions.call('DeleteFunction', { FunctionName: 'short' });
      const deleted = await functions.call('DeleteCodeSigningConfig', { CodeSigningConfigArn });
      assert.equal(deleted.status, 204);
    });
  });
});
