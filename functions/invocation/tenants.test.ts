import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused } from '../testing/assert-refused.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

const apart = { TenancyConfig: { TenantIsolationMode: 'PER_TENANT' } };

const invocations = [
  ['Invoke', 'RequestResponse'],
  ['Invoke', 'Event'],
  ['Invoke', 'DryRun'],
  ['InvokeWithResponseStream', 'RequestResponse'],
  ['InvokeWithResponseStream', 'DryRun'],
] as const;

describe('functions that keep their tenants apart', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
    await functions.create('apart', apart);
    await functions.create('together');
  });
  after(() => functions.close());

  for (const [operation, InvocationType] of invocations) {
    it(`are not invoked without a tenant, nor others with one (${operation} ${InvocationType})`, async () => {
      assertRefused(
        await functions.call(operation, { FunctionName: 'apart', InvocationType }),
        'InvalidParameterValueException',
        'The invoked function uses tenant isolation. Add a valid tenant ID to your request and try again.',
      );
      assertRefused(
        await functions.call(operation, {
          FunctionName: 'together',
          InvocationType,
          TenantId: 'a',
        }),
        'InvalidParameterValueException',
        'The invoked function does not use tenant isolation. Remove the tenant ID from your request and try again.',
      );
      assert.deepEqual(functions.environments.invoked, []);
    });
  }

  it('take no event of InvokeAsync, which names no tenant', async () => {
    assertRefused(
      await functions.call('InvokeAsync', { FunctionName: 'apart', InvokeArgs: '{}' }),
      'InvalidParameterValueException',
      'The invoked function uses tenant isolation. Add a valid tenant ID to your request and try again.',
    );
  });

  it('receive the tenant that they run for', async () => {
    for (const TenantId of ['blue', 'green one']) {
      const { status } = await functions.call('Invoke', { FunctionName: 'apart', TenantId });
      assert.equal(status, 200);
      const { spec, event } = functions.environments.invoked.at(-1) ?? {};
      assert.deepEqual([spec?.tenantId, event?.tenantId], [TenantId, TenantId]);
    }
    const reported = await functions.call('GetFunctionConfiguration', { FunctionName: 'apart' });
    assert.deepEqual(reported.body.TenancyConfig, apart.TenancyConfig);
  });
});
