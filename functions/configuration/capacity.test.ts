import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused } from '../testing/assert-refused.ts';
import {
  createTestFunctions,
  testRegion,
  testRole,
  testZip,
  type TestFunctions,
} from '../testing/test-functions.ts';

const provider = (name: string): string =>
  `arn:aws:lambda:${testRegion}:123456789012:capacity-provider:${name}`;
const on = (name: string, more: object = {}) => ({
  CapacityProviderConfig: {
    LambdaManagedInstancesCapacityProviderConfig: { CapacityProviderArn: provider(name), ...more },
  },
});

describe('functions on a capacity provider', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions({
      configured: { capacityProviders: new Map([[provider('large'), { environmentsMax: 2 }]]) },
    });
    await functions.create('managed', on('large'));
  });
  after(() => functions.close());

  const create = (given: object) =>
    functions.call('CreateFunction', {
      FunctionName: 'new',
      Role: testRole,
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Code: { ZipFile: testZip },
      ...given,
    });
  const update = (given: object) =>
    functions.call('UpdateFunctionConfiguration', { FunctionName: 'managed', ...given });

  it('are not made or moved where no one declared a provider', async () => {
    const refusal = `Capacity provider not found: ${provider('small')}. To declare it, run: hob admin add-resource capacity-provider ${provider('small')} --file FILE`;
    assertRefused(await create(on('small')), 'ResourceNotFoundException', refusal);
    assertRefused(await update(on('small')), 'ResourceNotFoundException', refusal);
  });

  it('have a runtime that can do several things at once', async () => {
    const refusal = (runtime: string): string =>
      `Runtime Enum ${runtime} does not support specified feature: Lambda Managed Instances`;
    const old = { Runtime: 'nodejs20.x' };
    const answer = await create({ ...on('large'), ...old });
    assertRefused(answer, 'InvalidParameterValueException', refusal('nodejs20.x'));
    assertRefused(await update(old), 'InvalidParameterValueException', refusal('nodejs20.x'));
  });

  it('have a digest that changes with every setting, and others have none', async () => {
    const digest = async (FunctionName: string): Promise<unknown> =>
      (await functions.call('GetFunctionConfiguration', { FunctionName })).body.ConfigSha256;
    const first = await digest('managed');
    assert.match(String(first), /^[0-9a-zA-Z+/=]{44,64}$/);
    const seen = new Set([first]);
    for (const change of [
      { Description: 'other' },
      { Timeout: 9 },
      { Environment: { Variables: { NAME: 'value' } } },
      on('large', { PerExecutionEnvironmentMaxConcurrency: 3 }),
    ]) {
      await update(change);
      await functions.untilProvisioned();
      const next = await digest('managed');
      assert.ok(!seen.has(next), JSON.stringify(change));
      seen.add(next);
    }
    const last = await digest('managed');
    await update({ Timeout: 9, Description: 'other' });
    await functions.untilProvisioned();
    assert.equal(await digest('managed'), last);
    await functions.create('ordinary');
    assert.equal(await digest('ordinary'), undefined);
  });

  it('have no more provisioned environments than the provider has', async () => {
    for (const name of ['ready', 'waiting']) {
      await functions.create(name, { ...on('large'), Publish: true });
    }
    const provision = async (FunctionName: string, count: number): Promise<unknown> => {
      const config = { FunctionName, Qualifier: '1' };
      const wanted = { ...config, ProvisionedConcurrentExecutions: count };
      const put = await functions.call('PutProvisionedConcurrencyConfig', wanted);
      assert.equal(put.status, 202);
      await functions.untilProvisioned();
      const { body } = await functions.call('GetProvisionedConcurrencyConfig', config);
      return [
        body.Status,
        body.StatusReason,
        functions.environments.provisioned.get(`${FunctionName}:1`),
      ];
    };
    const failed = ['FAILED', 'CapacityProviderScalingLimitExceeded', 0];
    assert.deepEqual(await provision('ready', 3), failed);
    assert.deepEqual(await provision('ready', 2), ['READY', undefined, 2]);
    assert.deepEqual(await provision('waiting', 1), failed);
    assert.deepEqual(await provision('ready', 1), ['READY', undefined, 1]);
    assert.deepEqual(await provision('waiting', 1), ['READY', undefined, 1]);
  });

  it('give their concurrency to their environments', async () => {
    const { status, text } = await update(
      on('large', { PerExecutionEnvironmentMaxConcurrency: 7 }),
    );
    assert.equal(status, 200, text);
    await functions.untilProvisioned();
    const { concurrency, capacityProvider } = functions.environments.prewarmed.at(-1) ?? {};
    assert.deepEqual([concurrency, capacityProvider], [7, provider('large')]);
  });
});
