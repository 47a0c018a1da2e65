import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { layerVersionArnPattern } from '#functions-contract/patterns.ts';
import { layerListRuntimes, supportedRuntimes } from '#functions-contract/runtimes.ts';

import { zipOf } from '../code/testing/zip-of.ts';
import { fillPolicy } from '../permissions/testing/fill-policy.ts';
import { assertRefused, violations } from '../testing/assert-refused.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

type Input = Readonly<Record<string, unknown>>;

const zip = zipOf({ 'lib/tool': 'a tool' });
const arn = (name: string): string => `arn:aws:lambda:us-east-1:123456789012:layer:${name}`;
const missing = 'The resource you requested does not exist.';

describe('layers', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
  });
  after(() => functions.close());

  const publish = (LayerName: string, given: Input = {}) =>
    functions.call('PublishLayerVersion', { LayerName, Content: { ZipFile: zip }, ...given });
  const get = (LayerName: string, VersionNumber: number) =>
    functions.call('GetLayerVersion', { LayerName, VersionNumber });
  const remove = (LayerName: string, VersionNumber: number) =>
    functions.call('DeleteLayerVersion', { LayerName, VersionNumber });

  it('report everything that they are not compatible with', async () => {
    const runtimes = `Member must satisfy enum value set: [${supportedRuntimes.join(', ')}]`;
    const given = {
      CompatibleRuntimes: ['invalidruntime', 'invalidruntime2', 'nodejs20.x'],
      CompatibleArchitectures: ['invalidarch', 'x86_64'],
    };
    assertRefused(
      await publish('tools', given),
      'ValidationException',
      violations(
        `Value '[invalidruntime, invalidruntime2, nodejs20.x]' at 'compatibleRuntimes' failed to satisfy constraint: ${runtimes}`,
        "Value '[invalidarch, x86_64]' at 'compatibleArchitectures' failed to satisfy constraint: Member must satisfy constraint: [Member must satisfy enum value set: [x86_64, arm64], Member must not be null]",
      ),
    );
    assertRefused(
      await functions.call('ListLayers', { CompatibleRuntime: 'runtimedoesnotexist' }),
      'ValidationException',
      violations(
        `Value 'runtimedoesnotexist' at 'compatibleRuntime' failed to satisfy constraint: Member must satisfy enum value set: [${layerListRuntimes.join(', ')}]`,
      ),
    );
    assertRefused(
      await functions.call('ListLayers', { CompatibleArchitecture: 'archdoesnotexist' }),
      'ValidationException',
      violations(
        "Value 'archdoesnotexist' at 'compatibleArchitecture' failed to satisfy constraint: Member must satisfy enum value set: [x86_64, arm64]",
      ),
    );
  });

  it('that are not there are not read, and can be deleted', async () => {
    await publish('read');
    const nothing = await functions.call('ListLayerVersions', { LayerName: 'nowhere' });
    assert.deepEqual(nothing.body, { LayerVersions: [] });
    assertRefused(await get('nowhere', 1), 'ResourceNotFoundException', missing);
    assertRefused(await get('read', 2), 'ResourceNotFoundException', missing);
    for (const number of [0, -1]) {
      for (const call of [get, remove]) {
        assertRefused(
          await call('read', number),
          'InvalidParameterValueException',
          'Layer Version Cannot be less than 1',
        );
      }
    }
    assertRefused(
      await functions.call('GetLayerVersionByArn', { Arn: arn('read') }),
      'ValidationException',
      violations(
        `Value '${arn('read')}' at 'arn' failed to satisfy constraint: Member must satisfy regular expression pattern: ${layerVersionArnPattern}`,
      ),
    );
    assertRefused(
      await functions.call('GetLayerVersionByArn', { Arn: `${arn('read')}:1234` }),
      'ResourceNotFoundException',
      missing,
    );
    for (const [name, number] of [
      ['nowhere', 1],
      ['read', 1234],
      ['read', 1],
      ['read', 1],
    ] as const) {
      assert.equal((await remove(name, number)).status, 204);
    }
    assertRefused(await get('read', 1), 'ResourceNotFoundException', missing);
  });

  it('are refused without an archive that can be unpacked', async () => {
    assertRefused(
      await publish('bad', { Content: { ZipFile: Buffer.from('no archive') } }),
      'InvalidParameterValueException',
      'Could not unzip uploaded file. Please check your file, then try to upload again.',
    );
    assertRefused(
      await publish('bad', { Content: { S3Bucket: 'missing', S3Key: 'key' } }),
      'InvalidParameterValueException',
      'Error occurred while GetObject. S3 Error Code: NoSuchBucket. S3 Error Message: The specified bucket does not exist',
    );
  });

  it('are published version by version', async () => {
    const first = await publish('lived', {
      CompatibleRuntimes: ['python3.12'],
      CompatibleArchitectures: ['x86_64'],
      Description: 'a layer',
      LicenseInfo: 'MIT',
    });
    assert.equal(first.status, 201);
    const { Content, ...rest } = first.body;
    assert.deepEqual(rest, {
      LayerArn: arn('lived'),
      LayerVersionArn: `${arn('lived')}:1`,
      Description: 'a layer',
      CreatedDate: '2026-01-02T03:04:05.678+0000',
      Version: 1,
      CompatibleRuntimes: ['python3.12'],
      CompatibleArchitectures: ['x86_64'],
      LicenseInfo: 'MIT',
    });
    assert.equal(Content.CodeSize, zip.length);
    const archive = await functions.send({
      method: 'GET',
      target: new URL(Content.Location).pathname,
    });
    assert.deepEqual(archive.bytes, zip);
    const second = await publish('lived');
    assert.equal(second.body.Version, 2);
    assert.ok(!('CompatibleRuntimes' in second.body) && !('LicenseInfo' in second.body));
    assert.equal((await get(arn('lived'), 2)).body.LayerVersionArn, `${arn('lived')}:2`);
    const byArn = await functions.call('GetLayerVersionByArn', { Arn: `${arn('lived')}:1` });
    assert.equal(byArn.body.Description, 'a layer');
  });

  it('say that they are for nothing when they were declared so', async () => {
    const { body } = await publish('empty', {
      CompatibleRuntimes: [],
      CompatibleArchitectures: [],
    });
    assert.deepEqual([body.CompatibleRuntimes, body.CompatibleArchitectures], [[], []]);
  });

  it('can be for runtimes that no function is made for any more', async () => {
    const CompatibleRuntimes = ['nodejs14.x', 'python3.7', 'provided'];
    const { body } = await publish('old', { CompatibleRuntimes });
    assert.deepEqual(body.CompatibleRuntimes, CompatibleRuntimes);
  });

  it('are listed by runtime, the newest version first', async () => {
    await publish('listed', { CompatibleRuntimes: ['java21'] });
    await publish('listed', { CompatibleRuntimes: ['java21'] });
    await publish('listed', { CompatibleRuntimes: ['java17'] });
    const { body } = await functions.call('ListLayers', { CompatibleRuntime: 'java21' });
    assert.equal(body.Layers.length, 1);
    assert.equal(body.Layers[0].LatestMatchingVersion.Version, 2);
    assert.equal(body.Layers[0].LayerArn, arn('listed'));
    const numbers: number[] = [];
    let Marker: string | undefined;
    do {
      const page = await functions.call('ListLayerVersions', {
        LayerName: 'listed',
        MaxItems: 2,
        ...(Marker === undefined ? {} : { Marker }),
      });
      for (const { Version } of page.body.LayerVersions) numbers.push(Version);
      Marker = page.body.NextMarker;
    } while (Marker !== undefined);
    assert.deepEqual(numbers, [3, 2, 1]);
  });

  it('stay with the functions that have them once they are deleted', async () => {
    await publish('shared');
    const Layers = [`${arn('shared')}:1`];
    await functions.create('user', { Layers });
    await remove('shared', 1);
    const read = await functions.call('GetFunctionConfiguration', { FunctionName: 'user' });
    assert.deepEqual(read.body.Layers, [{ Arn: Layers[0], CodeSize: zip.length }]);
    const again = await functions.call('UpdateFunctionConfiguration', {
      FunctionName: 'user',
      Layers,
    });
    assert.equal(again.status, 200, again.text);
    await functions.create('late');
    assertRefused(
      await functions.call('UpdateFunctionConfiguration', { FunctionName: 'late', Layers }),
      'InvalidParameterValueException',
      `Layer version ${Layers[0]} does not exist.`,
    );
    await functions.untilProvisioned();
  });

  it('have policies of limited size', async () => {
    await publish('crowded');
    const { answer } = await fillPolicy((StatementId) =>
      functions.call('AddLayerVersionPermission', {
        LayerName: 'crowded',
        VersionNumber: 1,
        StatementId,
        Action: 'lambda:GetLayerVersion',
        Principal: '*',
      }),
    );
    assertRefused(
      answer,
      'PolicyLengthExceededException',
      /^The final policy size \(20[456]\d\d\) is bigger than the limit \(20480\)\.$/,
    );
  });

  it('have policies of their own', async () => {
    await publish('policied');
    const named = { LayerName: 'policied', VersionNumber: 1 };
    const add = (StatementId: string, given: Input = {}) =>
      functions.call('AddLayerVersionPermission', {
        ...named,
        StatementId,
        Action: 'lambda:GetLayerVersion',
        Principal: '*',
        ...given,
      });
    const read = (given: Input = {}) =>
      functions.call('GetLayerVersionPolicy', { ...named, ...given });
    const drop = (StatementId: string, given: Input = {}) =>
      functions.call('RemoveLayerVersionPermission', { ...named, StatementId, ...given });
    assertRefused(
      await read(),
      'ResourceNotFoundException',
      'No policy is associated with the given resource.',
    );
    for (const [given, name] of [
      [{ LayerName: 'nowhere' }, 'nowhere:1'],
      [{ VersionNumber: 2 }, 'policied:2'],
    ] as const) {
      for (const answer of [await add('s', given), await read(given), await drop('s', given)]) {
        assertRefused(
          answer,
          'ResourceNotFoundException',
          `Layer version ${arn(name)} does not exist.`,
        );
      }
    }
    assertRefused(
      await add('s1', { Action: '*' }),
      'ValidationException',
      violations(
        "Value '*' at 'action' failed to satisfy constraint: Member must satisfy regular expression pattern: lambda:GetLayerVersion",
      ),
    );
    const added = await add('s1');
    assert.equal(added.status, 201);
    const statement = {
      Sid: 's1',
      Effect: 'Allow',
      Principal: '*',
      Action: 'lambda:GetLayerVersion',
      Resource: `${arn('policied')}:1`,
    };
    assert.equal(added.body.Statement, JSON.stringify(statement));
    assertRefused(
      await add('s1'),
      'ResourceConflictException',
      'The statement id (s1) provided already exists. Please provide a new statement id, or remove the existing statement.',
    );
    const wrong =
      'The Revision Id provided does not match the latest Revision Id. Call the GetLayerPolicy API to retrieve the latest Revision Id';
    assertRefused(await add('s2', { RevisionId: 'wrong' }), 'PreconditionFailedException', wrong);
    assertRefused(await drop('s1', { RevisionId: 'wrong' }), 'PreconditionFailedException', wrong);
    assertRefused(
      await drop('doesnotexist'),
      'ResourceNotFoundException',
      'Statement doesnotexist is not found in resource policy.',
    );
    const second = await add('s2', { RevisionId: added.body.RevisionId });
    const both = await read();
    assert.equal(both.body.RevisionId, second.body.RevisionId);
    assert.equal(JSON.parse(both.body.Policy).Statement.length, 2);
    assert.equal((await drop('s2')).status, 204);
    const one = await read();
    assert.deepEqual(JSON.parse(one.body.Policy).Statement, [statement]);
    assert.notEqual(one.body.RevisionId, second.body.RevisionId);
  });
});
