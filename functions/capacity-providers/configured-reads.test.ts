import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused } from '../testing/assert-refused.ts';
import { arnOf, createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

const large = 'arn:aws:lambda:us-east-1:123456789012:capacity-provider:large';

describe('what this server only reads', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions({
      configured: { capacityProviders: new Map([[large, { environmentsMax: 5 }]]) },
    });
    await functions.create('fn', {
      CapacityProviderConfig: {
        LambdaManagedInstancesCapacityProviderConfig: { CapacityProviderArn: large },
      },
    });
  });
  after(() => functions.close());

  it('capacity providers that are not declared are not found, and none are made', async () => {
    assertRefused(
      await functions.call('GetCapacityProvider', { CapacityProviderName: 'small' }),
      'ResourceNotFoundException',
      `Capacity provider not found: ${large.replace('large', 'small')}`,
    );
    for (const operation of ['Create', 'Update', 'Delete']) {
      assertRefused(
        await functions.call(`${operation}CapacityProvider`, { CapacityProviderName: 'large' }),
        'InvalidParameterValueException',
        /declared by the operator/,
      );
    }
  });

  it('capacity providers are reported, with the versions that run on them', async () => {
    const reported = { CapacityProviderArn: large, State: 'Active' };
    for (const CapacityProviderName of ['large', large]) {
      const { body } = await functions.call('GetCapacityProvider', { CapacityProviderName });
      assert.deepEqual(body, { CapacityProvider: reported });
    }
    const { body } = await functions.call('ListCapacityProviders');
    assert.deepEqual(body, { CapacityProviders: [reported] });
    const failed = await functions.call('ListCapacityProviders', { State: 'Failed' });
    assert.deepEqual(failed.body, { CapacityProviders: [] });
    const versions = await functions.call('ListFunctionVersionsByCapacityProvider', {
      CapacityProviderName: 'large',
    });
    assert.deepEqual(versions.body, {
      CapacityProviderArn: large,
      FunctionVersions: [{ FunctionArn: arnOf('fn:$LATEST'), State: 'Active' }],
    });
  });
});
