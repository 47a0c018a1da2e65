import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused, violations } from '../testing/assert-refused.ts';
import { arnOf, createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

const FunctionName = 'fn';

describe('small settings of a function', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
    await functions.create(FunctionName, { Publish: true });
  });
  after(() => functions.close());

  it('report a function that is not there', async () => {
    for (const [operation, given] of [
      ['GetFunctionRecursionConfig', {}],
      ['PutFunctionRecursionConfig', { RecursiveLoop: 'Allow' }],
      ['GetRuntimeManagementConfig', {}],
      ['PutRuntimeManagementConfig', { UpdateRuntimeOn: 'Auto' }],
      ['GetFunctionCodeSigningConfig', {}],
      ['DeleteFunctionCodeSigningConfig', {}],
    ] as const) {
      assertRefused(
        await functions.call(operation, { FunctionName: 'doesnotexist', ...given }),
        'ResourceNotFoundException',
        `Function not found: ${arnOf('doesnotexist')}`,
      );
    }
  });

  it('let loops run or end them', async () => {
    assertRefused(
      await functions.call('PutFunctionRecursionConfig', { FunctionName, RecursiveLoop: 'No' }),
      'ValidationException',
      violations(
        "Value 'No' at 'recursiveLoop' failed to satisfy constraint: Member must satisfy enum value set: [Terminate, Allow]",
      ),
    );
    const read = () => functions.call('GetFunctionRecursionConfig', { FunctionName });
    assert.deepEqual((await read()).body, { RecursiveLoop: 'Terminate' });
    const given = { FunctionName, RecursiveLoop: 'Allow' };
    assert.deepEqual((await functions.call('PutFunctionRecursionConfig', given)).body, {
      RecursiveLoop: 'Allow',
    });
    assert.deepEqual((await read()).body, { RecursiveLoop: 'Allow' });
  });

  it('keep a version on the runtime that there is, and on no other', async () => {
    const put = (given: object) =>
      functions.call('PutRuntimeManagementConfig', { FunctionName, ...given });
    const none = 'arn:aws:lambda:us-east-1::runtime:none';
    for (const given of [
      { UpdateRuntimeOn: 'Manual' },
      { UpdateRuntimeOn: 'Manual', RuntimeVersionArn: none },
      { UpdateRuntimeOn: 'Auto', RuntimeVersionArn: none },
    ]) {
      assertRefused(
        await put(given),
        'InvalidParameterValueException',
        /RuntimeVersionArn|runtime/,
      );
    }
    const record = await functions.call('GetFunctionConfiguration', { FunctionName });
    const { RuntimeVersionArn } = record.body.RuntimeVersionConfig;
    const retained = { UpdateRuntimeOn: 'Manual', FunctionArn: arnOf('fn:1'), RuntimeVersionArn };
    const decided = { UpdateRuntimeOn: 'Manual', RuntimeVersionArn, Qualifier: '1' };
    assert.deepEqual((await put(decided)).body, retained);
    const read = (Qualifier: string) =>
      functions.call('GetRuntimeManagementConfig', { FunctionName, Qualifier });
    assert.deepEqual((await read('1')).body, retained);
    assert.deepEqual((await read('$LATEST')).body, {
      UpdateRuntimeOn: 'Auto',
      FunctionArn: arnOf('fn:$LATEST'),
    });
  });
});
