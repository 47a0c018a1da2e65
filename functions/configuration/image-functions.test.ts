import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { writeImageLayout } from '../code/testing/image-layout-of.ts';
import { assertRefused } from '../testing/assert-refused.ts';
import {
  createTestFunctions,
  testRole,
  testZip,
  type TestResponse,
  type TestFunctions,
} from '../testing/test-functions.ts';

type Input = Readonly<Record<string, unknown>>;

const ImageUri = 'tools:latest';
const notForImages =
  "Please don't provide Handler or Runtime or Layer when the intended function PackageType is Image.";

describe('functions from container images', () => {
  let functions: TestFunctions;
  let digest = '';
  before(async () => {
    functions = await createTestFunctions();
    digest = await writeImageLayout(join(functions.folder, 'layouts/tools'), 'latest', {
      layers: [[]],
    });
    await create({});
    await functions.untilProvisioned();
  });
  after(() => functions.close());

  const create = (given: Input): Promise<TestResponse> =>
    functions.call('CreateFunction', {
      FunctionName: 'pictured',
      Role: testRole,
      PackageType: 'Image',
      Code: { ImageUri },
      ...given,
    });
  const update = async (given: Input): Promise<TestResponse> => {
    const answer = await functions.call('UpdateFunctionConfiguration', {
      FunctionName: 'pictured',
      ...given,
    });
    await functions.untilProvisioned();
    return answer;
  };

  it('name the error beside the overrides that it was of', async () => {
    const read = async (): Promise<unknown> =>
      (await functions.call('GetFunctionConfiguration', { FunctionName: 'pictured' })).body
        .ImageConfigResponse;
    const overrides = { EntryPoint: ['/none'] };
    const failure = { code: 'FunctionError.InvalidEntryPoint', text: 'It is not there.' } as const;
    functions.environments.failStarts(failure);
    await update({ ImageConfig: overrides });
    assert.deepEqual(await read(), {
      ImageConfig: overrides,
      Error: { ErrorCode: failure.code, Message: failure.text },
    });
    // The entry point is the image's own.
    await update({ ImageConfig: { WorkingDirectory: '/tmp' } });
    assert.deepEqual(await read(), { ImageConfig: { WorkingDirectory: '/tmp' } });
    functions.environments.failStarts(undefined);
    await update({ ImageConfig: {} });
    assert.equal(await read(), undefined);
  });

  it('take nothing that is for archives', async () => {
    for (const given of [
      { Runtime: 'nodejs24.x' },
      { Handler: 'index.handler' },
      { Layers: ['arn:aws:lambda:us-east-1:123456789012:layer:tools:1'] },
    ]) {
      assertRefused(await update(given), 'InvalidParameterValueException', notForImages);
      const made = await create({ FunctionName: 'other', ...given });
      assertRefused(made, 'InvalidParameterValueException', notForImages);
    }
    assertRefused(
      await functions.call('UpdateFunctionCode', { FunctionName: 'pictured', ZipFile: testZip }),
      'InvalidParameterValueException',
      'Please provide ImageUri when updating a function with packageType Image.',
    );
    assertRefused(
      await update({ SnapStart: { ApplyOn: 'PublishedVersions' } }),
      'InvalidParameterValueException',
      'ContainerImage is not supported for SnapStart enabled functions',
    );
    await functions.create('zipped');
    assertRefused(
      await functions.call('UpdateFunctionCode', { FunctionName: 'zipped', ImageUri }),
      'InvalidParameterValueException',
      "Please don't provide ImageUri when updating a function with packageType Zip.",
    );
  });

  it('are reported without what images do not have', async () => {
    const { body } = await functions.call('GetFunction', { FunctionName: 'pictured' });
    const { Configuration } = body;
    assert.deepEqual(
      [Configuration.PackageType, Configuration.CodeSize, Configuration.CodeSha256],
      ['Image', 0, digest],
    );
    for (const name of ['Runtime', 'Handler', 'RuntimeVersionConfig', 'ImageConfigResponse']) {
      assert.ok(!(name in Configuration), name);
    }
    assert.deepEqual(body.Code, {
      RepositoryType: 'ECR',
      ImageUri,
      ResolvedImageUri: `tools@sha256:${digest}`,
    });
  });

  it('have overrides that are replaced as a whole, and an empty one removes them', async () => {
    const overrides = async (): Promise<unknown> => {
      const { body } = await functions.call('GetFunctionConfiguration', {
        FunctionName: 'pictured',
      });
      return body.ImageConfigResponse;
    };
    await update({ ImageConfig: { EntryPoint: ['sh'], Command: ['-c', 'true'] } });
    assert.deepEqual(await overrides(), {
      ImageConfig: { EntryPoint: ['sh'], Command: ['-c', 'true'] },
    });
    await update({ ImageConfig: { WorkingDirectory: '/work' } });
    assert.deepEqual(await overrides(), { ImageConfig: { WorkingDirectory: '/work' } });
    await update({ Description: 'stays' });
    assert.deepEqual(await overrides(), { ImageConfig: { WorkingDirectory: '/work' } });
    await update({ ImageConfig: {} });
    assert.equal(await overrides(), undefined);
  });
});
