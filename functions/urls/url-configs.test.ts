import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused, violations } from '../testing/assert-refused.ts';
import { arnOf, createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

type Input = Readonly<Record<string, unknown>>;

describe('configurations of function URLs', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
    await functions.create('fn', { Publish: true });
    await functions.call('CreateAlias', {
      FunctionName: 'fn',
      Name: 'test-alias',
      FunctionVersion: '1',
    });
  });
  after(() => functions.close());

  const create = (given: Input) =>
    functions.call('CreateFunctionUrlConfig', { FunctionName: 'fn', AuthType: 'NONE', ...given });
  const get = (given: Input = {}) =>
    functions.call('GetFunctionUrlConfig', { FunctionName: 'fn', ...given });

  it('are refused for what is not there, and for versions', async () => {
    assertRefused(
      await create({ FunctionName: 'doesnotexist' }),
      'ResourceNotFoundException',
      'Function does not exist',
    );
    assertRefused(
      await functions.call('ListFunctionUrlConfigs', { FunctionName: 'doesnotexist' }),
      'ResourceNotFoundException',
      'Function does not exist',
    );
    const missing = 'The resource you requested does not exist.';
    for (const operation of ['Get', 'Update', 'Delete']) {
      assertRefused(
        await functions.call(`${operation}FunctionUrlConfig`, { FunctionName: 'doesnotexist' }),
        'ResourceNotFoundException',
        missing,
      );
    }
    assertRefused(
      await create({ Qualifier: '1' }),
      'ValidationException',
      violations(
        String.raw`Value '1' at 'qualifier' failed to satisfy constraint: Member must satisfy regular expression pattern: ((?!^\d+$)^[0-9a-zA-Z-_]+$)`,
      ),
    );
    assertRefused(
      await create({ InvokeMode: 'UNKNOWN' }),
      'ValidationException',
      violations(
        "Value 'UNKNOWN' at 'invokeMode' failed to satisfy constraint: Member must satisfy enum value set: [RESPONSE_STREAM, BUFFERED]",
      ),
    );
    const unknown = await functions.send({ method: 'GET', target: '/lambda-url/unknown/' });
    assertRefused(unknown, 'ResourceNotFoundException', missing);
  });

  it('are created, reported, changed and deleted, those of aliases apart', async () => {
    const config = await create({});
    assert.equal(config.status, 201);
    const { FunctionUrl, ...rest } = config.body;
    assert.match(FunctionUrl, /^http:\/\/[a-z2-7]{32}\.lambda-url\.us-east-1\.localhost:3000\/$/);
    assert.deepEqual(rest, {
      FunctionArn: arnOf('fn'),
      AuthType: 'NONE',
      CreationTime: '2026-01-02T03:04:05.678000Z',
    });
    assertRefused(
      await create({}),
      'ResourceConflictException',
      `Failed to create function url config for [functionArn = ${arnOf('fn')}]. Error message:  FunctionUrlConfig exists for this Lambda function`,
    );
    const ofAlias = await create({ Qualifier: 'test-alias' });
    assert.equal(ofAlias.body.FunctionArn, arnOf('fn:test-alias'));
    const changedTime = { LastModifiedTime: '2026-01-02T03:04:05.678000Z' };
    assert.deepEqual((await get()).body, {
      ...config.body,
      InvokeMode: 'BUFFERED',
      ...changedTime,
    });
    const updated = await functions.call('UpdateFunctionUrlConfig', {
      FunctionName: 'fn',
      AuthType: 'AWS_IAM',
    });
    assert.deepEqual(updated.body, { ...config.body, AuthType: 'AWS_IAM', ...changedTime });
    const listed = await functions.call('ListFunctionUrlConfigs', { FunctionName: 'fn' });
    assert.equal(listed.body.FunctionUrlConfigs.length, 2);
    const deleted = await functions.call('DeleteFunctionUrlConfig', { FunctionName: 'fn' });
    assert.equal(deleted.status, 204);
    assert.equal((await get()).status, 404);
    assert.equal((await get({ Qualifier: 'test-alias' })).status, 200);
  });
});
